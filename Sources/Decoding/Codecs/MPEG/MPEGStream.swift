// Feeds libmpg123 with the bytes of a live stream: whole frames only, up to the first gap. Worker process
// only.

import CodecSupport

/// Follows the frames of a stream without a length.
///
/// libmpg123 misinterprets the bytes of a damaged frame as a header and outputs loud noise, and reports a
/// truncated last frame as an error. Neither is passed to it.
final class MPEGStream {
  private let input: MediaInput
  /// The first header; later ones agree with it.
  let first: MPEGHeader
  /// The next byte to return, and the end of its frame.
  private var offset: Int64
  private var end: Int64
  /// Whether the bytes at `end` are not a valid frame.
  private(set) var hasGap = false

  /// Maximum search distance for the next frame in bytes; the largest tag that a station may insert.
  private static let maxSearch: Int64 = 1 << 20
  /// Size of a frame header in bytes.
  private static let header = 4

  /// Starts at a frame.
  init(_ input: MediaInput, at start: Int64) throws(CodecFailure) {
    self.input = input
    let bytes = try input.bytes(at: start, count: 2 * MPEGHeader.maxFrameBytes + Self.header)
    guard let first = bytes.withUnsafeBufferPointer({ MPEGHeader.first($0, at: 0) }) else {
      throw .read(at: start)
    }
    self.first = first
    (offset, end) = (start, start)
  }

  /// Reads bytes of whole frames.
  ///
  /// - Returns: Number of bytes; 0 at the end or at a gap, negative if the host failed.
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

  /// Moves the host to the next frame after the gap, or to the end.
  func passGap() throws(CodecFailure) {
    var place = offset
    let limit = offset + Self.maxSearch
    while place < limit, try !isRun(at: place, wanted: 3) {
      guard try has(place + 1) else { break }
      place += 1
    }
    guard input.settle(at: place) else { throw .read(at: place) }
  }

  /// Moves to the next frame. Returns false at the end of the stream, at a truncated last frame, and at a
  /// gap.
  private func enterFrame() throws(CodecFailure) -> Bool {
    try skipTag()
    guard let frame = try header(at: offset) else {
      hasGap = try has(offset + Int64(Self.header))
      return false
    }
    let next = offset + Int64(frame.frameBytes)
    guard try has(next) else { return false }
    // A frame that contains other headers has lost bytes.
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

  /// Whether a frame that ends at `next` is whole: followed by a frame, a tag or the end.
  private func isFollowed(at next: Int64) throws(CodecFailure) -> Bool {
    guard try has(next + Int64(Self.header)) else { return true }
    if try header(at: next) != nil { return true }
    return try input.bytes(at: next, count: 3).withUnsafeBufferPointer {
      hasMagic($0, "ID3") || hasMagic($0, "TAG")
    }
  }

  /// Skips tags between frames.
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

  /// Whether the byte before an offset exists.
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

  /// The header at an offset, if it agrees with the stream's first.
  private func header(at offset: Int64) throws(CodecFailure) -> MPEGHeader? {
    let header = try input.bytes(at: offset, count: Self.header).withUnsafeBufferPointer {
      MPEGHeader($0, at: 0, free: first.freeBytes)
    }
    return header.flatMap { $0.agrees(with: first) ? $0 : nil }
  }
}
