// The bytes of a stream for libmpg123: whole frames only, up to the first gap. Worker process only.

import CodecSupport

/// Follows the frames of a stream that has no length. libmpg123 takes two bytes of a damaged frame for a header, decodes what follows as
/// loud noise, and calls a frame that is cut at the end an error: it is given neither.
final class MPEGStream {
  private let input: MediaInput
  /// What the frames of the stream have in common.
  let first: MPEGHeader
  /// The next byte that is handed on, and one past the last one of its frame.
  private var offset: Int64
  private var end: Int64
  /// Whether the frame at `end` is known to be none.
  private(set) var hasGap = false

  /// Bytes in which the next frame is looked for: the largest tag that a station may send between two frames.
  private static let maxSearch: Int64 = 1 << 20
  /// Bytes of a header.
  private static let header = 4

  /// Follows the stream from a frame on.
  init(_ input: MediaInput, at start: Int64) throws(CodecFailure) {
    self.input = input
    let bytes = try input.bytes(at: start, count: 2 * MPEGHeader.maxFrameBytes + Self.header)
    guard let first = bytes.withUnsafeBufferPointer({ MPEGHeader.first($0, at: 0) }) else {
      throw .read(at: start)
    }
    self.first = first
    (offset, end) = (start, start)
  }

  /// Reads bytes of whole frames: how many, 0 at the end or at a gap, negative where the host fails.
  func read(into bytes: UnsafeMutableRawPointer, count: Int) -> Int {
    do throws(CodecFailure) {
      if offset == end, try !enterFrame() { return 0 }
    } catch {
      return -1
    }
    guard input.seek(to: offset) else { return -1 }
    let got = input.read(into: bytes, count: min(count, Int(end - offset)))
    if got > 0 { offset += Int64(got) }
    return got
  }

  /// Leaves the host at the next frame behind the gap, or at the end.
  func passGap() throws(CodecFailure) {
    var place = offset
    let limit = offset + Self.maxSearch
    while place < limit, try !isRun(at: place, wanted: 3) {
      guard try has(place + 1) else { break }
      place += 1
    }
    guard input.settle(at: place) else { throw .read(at: place) }
  }

  /// Goes to the next frame; false at the end of the stream, at a frame that is cut there, and at a gap.
  private func enterFrame() throws(CodecFailure) -> Bool {
    try skipTag()
    guard let frame = try header(at: offset) else {
      hasGap = try has(offset + Int64(Self.header))
      return false
    }
    let next = offset + Int64(frame.frameBytes)
    guard try has(next) else { return false }
    // A frame that others begin in has lost bytes.
    if try !isFollowed(at: next) {
      var place = offset + 1
      while place < next {
        if try isRun(at: place, wanted: 2) {
          hasGap = true
          return false
        }
        place += 1
      }
    }
    end = next
    return true
  }

  /// Whether a frame that ends there is whole: another one, a tag or the end follows.
  private func isFollowed(at next: Int64) throws(CodecFailure) -> Bool {
    guard try has(next + Int64(Self.header)) else { return true }
    if try header(at: next) != nil { return true }
    return try input.bytes(at: next, count: 3).withUnsafeBufferPointer {
      hasMagic($0, "ID3") || hasMagic($0, "TAG")
    }
  }

  /// Passes over tags between frames.
  private func skipTag() throws(CodecFailure) {
    for _ in 0..<16 {
      let bytes = try input.bytes(at: offset, count: ID3Tag.headerSize)
      let size: Int64? = bytes.withUnsafeBufferPointer { bytes -> Int64? in
        if let tag = ID3Tag(header: bytes, at: offset) { return tag.byteCount }
        return hasMagic(bytes, "TAG") ? 128 : nil
      }
      guard let size, size <= Self.maxSearch else { return }
      offset += size
      end = offset
    }
  }

  /// Whether the byte before an offset is there.
  private func has(_ offset: Int64) throws(CodecFailure) -> Bool {
    try !input.bytes(at: offset - 1, count: 1).isEmpty
  }

  private func isRun(at offset: Int64, wanted: Int) throws(CodecFailure) -> Bool {
    var place = offset
    for _ in 0..<wanted {
      guard let frame = try header(at: place) else { return false }
      place += Int64(frame.frameBytes)
    }
    return true
  }

  /// The header at an offset, if it is this stream's.
  private func header(at offset: Int64) throws(CodecFailure) -> MPEGHeader? {
    let header = try input.bytes(at: offset, count: Self.header).withUnsafeBufferPointer {
      MPEGHeader($0, at: 0, free: first.freeBytes)
    }
    return header.flatMap { $0.agrees(with: first) ? $0 : nil }
  }
}
