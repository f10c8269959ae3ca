// Feeds libwavpack: with consecutive whole blocks of a station, and with blocks of a file that end before the
// next one. Worker process only, one thread.

import CodecSupport

/// The input of libwavpack.
///
/// A station is followed block by block. Where the next block does not continue the last one, libwavpack sees
/// the end of its input, and another decoder starts at the next block. Passed unretained as the context of C
/// callbacks.
final class WavPackBytes {
  let input: MediaInput
  /// Offset of a station's next block, and its expected first frame.
  private var boundary: Int64 = 0
  private var expected: (frame: Int64, kind: Int64)?
  /// Offset at which a station's blocks stop to be consecutive; nil if they have not.
  private var gap: Int64?
  /// The block of a file whose content libwavpack has read last, and its offset.
  private(set) var latest: (block: WavPackBlock, offset: Int64)?

  /// Maximum search distances in bytes for a station's next block and a file's second one.
  private static let searchLimit: Int64 = 1 << 17
  private static let fileSearchLimit: Int64 = 1 << 22
  private static let headerBytes = 32
  /// Maximum number of possible headers inside a damaged block that are checked.
  private static let maxCandidates = 64

  init(_ input: MediaInput) { self.input = input }

  /// Whether the input is a stream without a length.
  var isStream: Bool { input.length == nil }

  var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  static func from(_ context: UnsafeMutableRawPointer) -> WavPackBytes {
    Unmanaged<WavPackBytes>.fromOpaque(context).takeUnretainedValue()
  }

  /// Finds the offset at which decoding starts: in a station, that of the first whole block.
  func enter() throws(CodecFailure) -> Int64 {
    (boundary, expected, gap, latest) = (0, nil, nil, nil)
    guard isStream, try block(at: 0, isFirst: true) == nil, let found = try search(from: 1) else { return 0 }
    boundary = found
    return found
  }

  /// Moves a station to the next block that libwavpack has not read, for another decoder. Does nothing in a
  /// file or at the end.
  ///
  /// - Throws: `corrupt` if there is a next block, so that the host opens a decoder there.
  func leave() throws(CodecFailure) {
    guard isStream else { return }
    let place = gap ?? boundary
    let isStart = try block(at: place, isFirst: true) != nil
    let next = isStart ? place : try search(from: place + 1)
    guard let next else { return }
    guard input.settle(at: next) else { throw .read(at: next) }
    throw CodecFailure(.corrupt, "The WavPack stream is broken before byte \(place), up to byte \(next).")
  }

  /// Reads as `MediaInput.readFully` does, but stops after a station's consecutive blocks, and before the
  /// block of a file that follows a damaged one.
  func read(into buffer: UnsafeMutableRawPointer, count: Int) -> Int {
    guard isStream else { return readFile(into: buffer, count: count) }
    let place = input.position
    if place == boundary {
      do throws(CodecFailure) {
        guard gap == nil, let block = try continuation(at: place), input.seek(to: place) else {
          if gap == nil { gap = place }
          _ = input.seek(to: place)
          return 0
        }
        boundary = place + block.bytes
      } catch {
        return -1
      }
    }
    return input.readFully(into: buffer, count: Int(min(Int64(count), max(0, boundary - place))))
  }

  /// Reads from a file, so that damage in one block does not lose the next.
  ///
  /// libwavpack reads a block's header, then as many bytes as it states. If bytes are missing or the size is
  /// damaged, these extend into the next block. That part is replaced by zeros, and the next read begins with
  /// the next block.
  private func readFile(into buffer: UnsafeMutableRawPointer, count: Int) -> Int {
    let place = input.position
    do throws(CodecFailure) {
      let header = try place < Self.headerBytes ? nil : self.header(at: place - Int64(Self.headerBytes))
      guard input.seek(to: place) else { return -1 }
      let got = input.readFully(into: buffer, count: count)
      guard got > 0, let header, header.bytes == Int64(Self.headerBytes + count) else { return got }
      if header.count > 0 { latest = (header, place - Int64(Self.headerBytes)) }
      let end = place + Int64(got)
      let isWhole = try got == count ? isBoundary(end) : false
      if isWhole { return got }
      guard let next = try blockInside(UnsafeRawBufferPointer(start: buffer, count: got), from: place),
        input.seek(to: next)
      else { return input.seek(to: end) ? got : -1 }
      let kept = Int(next - place)
      (buffer + kept).initializeMemory(as: UInt8.self, repeating: 0, count: count - kept)
      return count
    } catch {
      return -1
    }
  }

  /// Whether a block, a tag or the end of the file is at an offset. Moves the input there.
  private func isBoundary(_ offset: Int64) throws(CodecFailure) -> Bool {
    let bytes = try input.bytes(at: offset, count: Self.headerBytes)
    guard input.seek(to: offset) else { throw .read(at: offset) }
    let magics = ["wvpk", "APETAGEX", "TAG", "ID3"]
    return bytes.isEmpty || magics.contains { bytes.starts(with: $0.utf8) }
  }

  /// The offset of the first whole block that begins within bytes read from `place` on; nil if there is none.
  private func blockInside(_ bytes: UnsafeRawBufferPointer, from place: Int64) throws(CodecFailure) -> Int64?
  {
    var candidates = 0
    for index in bytes.indices where bytes[index] == 0x77 {
      // The magic may be cut off at the end of the bytes.
      let magic = bytes[index..<min(index + 4, bytes.endIndex)]
      guard magic.elementsEqual("wvpk".utf8.prefix(magic.count)) else { continue }
      candidates += 1
      guard candidates <= Self.maxCandidates else { return nil }
      let offset = place + Int64(index)
      if try block(at: offset, isFirst: false) != nil { return offset }
    }
    return nil
  }

  /// The block at an offset, if it continues the previous frames.
  private func continuation(at offset: Int64) throws(CodecFailure) -> WavPackBlock? {
    guard let block = try block(at: offset, isFirst: expected == nil) else { return nil }
    guard block.isInitial, block.count > 0 else { return block }
    if let expected, expected.frame != block.first || expected.kind != block.kind { return nil }
    expected = (block.end, block.kind)
    return block
  }

  /// The block at an offset, if it is whole and followed by another block, a tag or the end.
  private func block(at offset: Int64, isFirst: Bool) throws(CodecFailure) -> WavPackBlock? {
    guard let block = try header(at: offset), block.isPlausible,
      !isFirst || block.isInitial && block.count > 0
    else { return nil }
    let end = offset + block.bytes
    guard try !input.bytes(at: end - 1, count: 1).isEmpty else { return nil }
    let next = try input.bytes(at: end, count: Self.headerBytes)
    guard next.count == Self.headerBytes else {
      return Array("wvpk".utf8).starts(with: next.prefix(4)) ? block : nil
    }
    let follows = next.withUnsafeBufferPointer {
      WavPackBlock($0, at: 0)?.isPlausible == true || hasMagic($0, "APETAGEX") || hasMagic($0, "TAG")
    }
    return follows ? block : nil
  }

  private func header(at offset: Int64) throws(CodecFailure) -> WavPackBlock? {
    try input.bytes(at: offset, count: Self.headerBytes).withUnsafeBufferPointer { WavPackBlock($0, at: 0) }
  }

  /// The offset of the first block of a file after an offset; nil if none was found.
  func beginning(after offset: Int64) throws(CodecFailure) -> Int64? {
    try search(from: offset + 1, limit: Self.fileSearchLimit)
  }

  /// The offset of the first block at or after an offset; nil if none was found.
  private func search(
    from start: Int64, limit: Int64 = WavPackBytes.searchLimit
  ) throws(CodecFailure) -> Int64? {
    var place = start
    while place < start + limit {
      let window = try input.bytes(at: place, count: 4096)
      guard window.count >= Self.headerBytes else { return nil }
      for index in window.indices where window[index] == 0x77 {
        let offset = place + Int64(index)
        if try block(at: offset, isFirst: true) != nil { return offset }
      }
      place += Int64(window.count)
    }
    return nil
  }
}
