// Counts the frames of an MPEG file by their headers and finds where frames of another format begin. Worker
// process only.

import CodecSupport

/// Counts frames from the file's first one to the first one of another rate, layer or channel count.
final class MPEGSurvey {
  private let input: MediaInput
  /// The first header; the counted frames agree with it.
  let first: MPEGHeader
  private let start: Int64
  /// End of the file's frames, in bytes.
  private let limit: Int64
  /// Offset of the next frame, and number of frames before it.
  private(set) var offset: Int64
  private(set) var frames: Int64 = 0
  /// End of the last frame in bytes; nil until known.
  private(set) var end: Int64?
  /// Offset of the first frame of another format, or of the tag before it; nil if there is none.
  private(set) var next: Int64?
  /// The bytes read last.
  private var window: [UInt8] = []
  private var windowStart: Int64 = 0
  /// Whether the window extends to the end of the file.
  private var isWindowLast = false
  /// Number of expensive checks so far.
  private var probes: Int64 = 0

  private static let windowBytes = 1 << 15
  /// Maximum search distance in bytes for the next frame after damage.
  private static let maxSearch: Int64 = 1 << 20
  /// Number of consistent headers required where another format begins.
  private static let run = 3
  /// Bounds expensive checks in hostile files: an initial number, and one more per `bytesAProbe` bytes.
  private static let maxProbes: Int64 = 64
  private static let bytesAProbe: Int64 = 4096

  /// Starts to count.
  ///
  /// - Parameters:
  ///   - input: The file.
  ///   - start: Offset of the first frame.
  ///   - limit: Offset of the trailing tags, or the file's length.
  /// - Returns: Nil if there is no frame at `start`.
  init?(_ input: MediaInput, from start: Int64, to limit: Int64) throws(CodecFailure) {
    self.input = input
    self.start = start
    self.limit = limit
    offset = start
    let bytes = try input.bytes(at: start, count: 3 * MPEGHeader.maxFrameBytes)
    guard let first = bytes.withUnsafeBufferPointer({ MPEGHeader.first($0, at: 0) }) else { return nil }
    self.first = first
  }

  /// Counts frames up to a byte, or to the end of this format.
  func advance(to target: Int64) throws(CodecFailure) {
    while offset < target, end == nil { try step() }
  }

  private func step() throws(CodecFailure) {
    guard offset + 4 <= limit else { return finish(at: limit) }
    if let frame = try header(at: offset, like: first) {
      // A truncated frame does not count.
      guard offset + Int64(frame.frameBytes) <= limit else { return finish(at: limit) }
      offset += Int64(frame.frameBytes)
      frames += 1
      return
    }
    if try isOther(at: offset) { return finish(at: offset, next: offset) }
    let tag = try skippedTag(at: offset)
    if tag > offset {
      // The tag belongs to the frames after it.
      if try isOther(at: tag) { return finish(at: offset, next: offset) }
      return offset = tag
    }
    try search()
  }

  /// Searches for the next frame after damage or unknown data.
  private func search() throws(CodecFailure) {
    var place = offset + 1
    let last = min(limit - 4, offset + Self.maxSearch)
    while place <= last {
      if try view(place, Self.judged, { $0.first }) == 0xFF {
        if try isRun(at: place, like: first) { return offset = place }
        if try isOther(at: place) { return finish(at: offset, next: place) }
      } else if try isTag(at: place), mayProbe(at: place), try isOther(at: skippedTag(at: place)) {
        return finish(at: offset, next: place)
      }
      place += 1
    }
    finish(at: limit)
  }

  private func finish(at byte: Int64, next: Int64? = nil) {
    end = byte
    self.next = next
  }

  /// Bytes needed to check one offset. Keeping them in the window avoids repeated reads during a search.
  private static let judged = 3 * MPEGHeader.maxFrameBytes

  private func mayProbe(at byte: Int64) -> Bool {
    guard probes < Self.maxProbes + (byte - start) / Self.bytesAProbe else { return false }
    probes += 1
    return true
  }

  /// Whether frames of another format begin at a byte.
  private func isOther(at byte: Int64) throws(CodecFailure) -> Bool {
    guard byte + 4 <= limit, try self.byte(at: byte) == 0xFF else { return false }
    var other = try view(byte, Self.judged) { MPEGHeader($0, at: 0) }
    if other == nil { other = try freeHeader(at: byte) }
    guard let other, !other.isLike(first) else { return false }
    return try isRun(at: byte, like: other)
  }

  /// Parses a free-format header, for which a whole frame must be searched.
  private func freeHeader(at byte: Int64) throws(CodecFailure) -> MPEGHeader? {
    guard try view(byte, 4, { MPEGHeader($0, at: 0, free: MPEGHeader.maxFrameBytes) }) != nil,
      mayProbe(at: byte)
    else { return nil }
    return try view(byte, Self.judged) { MPEGHeader.first($0, at: 0) }
  }

  private func isRun(at byte: Int64, like other: MPEGHeader) throws(CodecFailure) -> Bool {
    var place = byte
    for count in 0..<Self.run {
      if count > 0, place >= limit { return true }
      guard let frame = try header(at: place, like: other) else { return false }
      place += Int64(frame.frameBytes)
    }
    return true
  }

  /// The offset after a tag at a byte, or the byte itself.
  private func skippedTag(at byte: Int64) throws(CodecFailure) -> Int64 {
    try view(byte, 32) { bytes in
      if let tag = ID3Tag(header: bytes, at: byte) { return byte + tag.byteCount }
      if hasMagic(bytes, "TAG") { return byte + 128 }
      guard hasMagic(bytes, "APETAGEX"), bytes.count >= 32 else { return byte }
      let size = (0..<4).reduce(0) { $0 | Int64(bytes[12 + $1]) << (8 * Int64($1)) }
      return size < Self.maxSearch ? byte + 32 + size - (bytes[23] & 0x20 == 0 ? 32 : 0) : byte
    }
  }

  private func isTag(at byte: Int64) throws(CodecFailure) -> Bool {
    guard try self.byte(at: byte) == 0x49 else { return false }
    return try view(byte, 10) { hasMagic($0, "ID3") }
  }

  private func header(at byte: Int64, like other: MPEGHeader) throws(CodecFailure) -> MPEGHeader? {
    guard byte + 4 <= limit else { return nil }
    return try view(byte, 4) { bytes in
      guard let header = MPEGHeader(bytes, at: 0, free: other.freeBytes), header.isLike(other) else {
        return nil
      }
      return header
    }
  }

  private func byte(at offset: Int64) throws(CodecFailure) -> UInt8? { try view(offset, 1) { $0.first } }

  /// Passes up to `count` bytes from an offset to `body`.
  private func view<Result>(
    _ offset: Int64, _ count: Int, _ body: (Bytes) -> Result
  ) throws(CodecFailure) -> Result {
    let windowEnd = windowStart + Int64(window.count)
    if offset < windowStart || offset > windowEnd || offset + Int64(count) > windowEnd && !isWindowLast {
      let wanted = max(Self.windowBytes, count)
      window = try input.bytes(at: offset, count: wanted)
      windowStart = offset
      isWindowLast = window.count < wanted
    }
    return window.withUnsafeBufferPointer { bytes in
      let begin = Int(offset - windowStart)
      return body(Bytes(rebasing: bytes[begin..<min(bytes.count, begin + count)]))
    }
  }

  // MARK: Constant bit rate

  /// Number of offsets at which frames are compared with their expected positions.
  private static let places: Int64 = 8

  /// Computes the number of frames of a file of constant bit rate from samples at a few offsets. Nil if the
  /// rate is not constant.
  func framesOfConstantRate() throws(CodecFailure) -> Int64? {
    guard end == nil, let size = first.exactFrameBytes, limit - start > 1 << 16 else { return nil }
    var frames: Int64?
    for place in 1...Self.places {
      let near = max(
        start, start + (limit - start) / Self.places * place - Int64(4 * MPEGHeader.maxFrameBytes))
      let count = place == Self.places ? Int(limit - near) : 4 * MPEGHeader.maxFrameBytes
      let bytes = try input.bytes(at: near, count: count)
      let found: (begin: Int, end: Int)? = bytes.withUnsafeBufferPointer { bytes in
        (0..<bytes.count).lazy.compactMap { self.constantRun(bytes, at: $0) }.first
      }
      guard let found else { return nil }
      // More frames may follow after a damaged one.
      if place == Self.places, limit - (near + Int64(found.end)) >= Int64(first.frameBytes) { return nil }
      for edge in [found.begin, found.end] {
        let distance = Double(near + Int64(edge) - start)
        let number = (distance / size).rounded()
        // Padding is one byte, or four in layer I.
        guard abs(distance - number * size) <= (first.layer == 1 ? 4.01 : 1.01) else { return nil }
        frames = Int64(number)
      }
    }
    return frames
  }

  /// Finds at least three consecutive frames of the first one's format and bit rate. Returns their beginning
  /// and end.
  private func constantRun(_ bytes: Bytes, at begin: Int) -> (begin: Int, end: Int)? {
    var (place, count) = (begin, 0)
    while let header = MPEGHeader(bytes, at: place, free: first.freeBytes), header.isLike(first),
      header.bitRate == first.bitRate, place + header.frameBytes <= bytes.count
    {
      place += header.frameBytes
      count += 1
    }
    return count >= Self.run ? (begin, place) : nil
  }
}
