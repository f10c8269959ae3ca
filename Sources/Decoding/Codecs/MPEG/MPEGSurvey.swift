// The frames of a file, followed by their headers: how many there are, and where frames of another kind begin. Worker process only.

import CodecSupport

/// Counts the frames from a file's first one on, up to the first one of another rate, layer or number of channels.
final class MPEGSurvey {
  private let input: MediaInput
  /// What the frames that are counted have in common.
  let first: MPEGHeader
  private let start: Int64
  /// The first byte behind the file's frames.
  private let limit: Int64
  /// The byte that the next frame should begin with, and frames before it.
  private(set) var offset: Int64
  private(set) var frames: Int64 = 0
  /// The byte behind the last frame, once that is known.
  private(set) var end: Int64?
  /// The byte that frames of another kind begin with, or their tags.
  private(set) var next: Int64?
  /// What was read last.
  private var window: [UInt8] = []
  private var windowStart: Int64 = 0
  /// Whether the file ends with it.
  private var isWindowLast = false
  /// Places that were judged at some expense.
  private var probes: Int64 = 0

  private static let windowBytes = 1 << 15
  /// Bytes in which the next frame is looked for behind damage.
  private static let maxSearch: Int64 = 1 << 20
  /// Headers that agree, one behind another, where frames of another kind begin.
  private static let run = 3
  /// Places that may be judged at some expense, and bytes of the file that allow for another one: a bound for hostile files.
  private static let maxProbes: Int64 = 64
  private static let bytesAProbe: Int64 = 4096

  /// Counts from the frame at `start` on, up to the byte `limit`, which tags begin with, or the file's end.
  init?(_ input: MediaInput, from start: Int64, to limit: Int64) throws(CodecFailure) {
    self.input = input
    self.start = start
    self.limit = limit
    offset = start
    let bytes = try input.bytes(at: start, count: 3 * MPEGHeader.maxFrameBytes)
    guard let first = bytes.withUnsafeBufferPointer({ MPEGHeader.first($0, at: 0) }) else { return nil }
    self.first = first
  }

  /// Follows the frames up to a byte, or to the end of their kind.
  func advance(to target: Int64) throws(CodecFailure) {
    while offset < target, end == nil { try step() }
  }

  private func step() throws(CodecFailure) {
    guard offset + 4 <= limit else { return finish(at: limit) }
    if let frame = try header(at: offset, like: first) {
      // A frame that is cut is none.
      guard offset + Int64(frame.frameBytes) <= limit else { return finish(at: limit) }
      offset += Int64(frame.frameBytes)
      frames += 1
      return
    }
    if try isOther(at: offset) { return finish(at: offset, next: offset) }
    let tag = try skippedTag(at: offset)
    if tag > offset {
      // What the tag belongs to begins with it.
      if try isOther(at: tag) { return finish(at: offset, next: offset) }
      return offset = tag
    }
    try search()
  }

  /// Goes to the next frame behind damage, or behind bytes that are none.
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

  /// Bytes that the judgement of a place may need: with all of them in the window, a search reads each once.
  private static let judged = 3 * MPEGHeader.maxFrameBytes

  private func mayProbe(at byte: Int64) -> Bool {
    guard probes < Self.maxProbes + (byte - start) / Self.bytesAProbe else { return false }
    probes += 1
    return true
  }

  /// Whether frames of another kind begin at a byte.
  private func isOther(at byte: Int64) throws(CodecFailure) -> Bool {
    guard byte + 4 <= limit, try self.byte(at: byte) == 0xFF else { return false }
    var other = try view(byte, Self.judged) { MPEGHeader($0, at: 0) }
    if other == nil { other = try freeHeader(at: byte) }
    guard let other, !other.isLike(first) else { return false }
    return try isRun(at: byte, like: other)
  }

  /// The header at a byte in free format, which is looked for in all the bytes of a frame.
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

  /// The byte behind the tag at a byte, or the byte itself.
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

  /// Shows up to `count` bytes from a byte on.
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

  /// Places in the file at which frames have to lie where a constant bit rate has them.
  private static let places: Int64 = 8

  /// The frames of a file of one constant bit rate, found by looking at a few places; nil for another file.
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
      // Behind a damaged frame others may follow.
      if place == Self.places, limit - (near + Int64(found.end)) >= Int64(first.frameBytes) { return nil }
      for edge in [found.begin, found.end] {
        let distance = Double(near + Int64(edge) - start)
        let number = (distance / size).rounded()
        // Padding is a byte, or four in layer I.
        guard abs(distance - number * size) <= (first.layer == 1 ? 4.01 : 1.01) else { return nil }
        frames = Int64(number)
      }
    }
    return frames
  }

  /// Where three frames of the first one's kind and bit rate begin, and where those that follow them end.
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
