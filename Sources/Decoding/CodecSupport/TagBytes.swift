// A bounded, buffered byte reader over a range of the media file, for tag parsers. Worker process only.

/// Reads the bytes of [start, end) one by one and optionally undoes ID3 unsynchronisation.
struct TagBytes {
  private let input: MediaInput
  private var bufferStart: Int64
  private let end: Int64
  private let isUnsynchronised: Bool
  private var buffer: [UInt8]
  private var index = 0
  private var previous: UInt8 = 0

  init(_ input: MediaInput, from start: Int64, to end: Int64, unsynchronised: Bool) {
    self.input = input
    bufferStart = start
    // An unsynchronised tag cannot be skipped by seeking, so the number of bytes read is bounded to 4 MiB.
    self.end = unsynchronised ? min(end, start + 4 << 20) : end
    isUnsynchronised = unsynchronised
    buffer = []
  }

  /// The next byte; nil at the end of the range or of the file.
  mutating func next() -> UInt8? {
    guard let byte = raw() else { return nil }
    guard isUnsynchronised, previous == 0xFF, byte == 0 else {
      previous = byte
      return byte
    }
    guard let following = raw() else { return nil }
    previous = following
    return following
  }

  /// Reads a big-endian number of which each byte contributes its low `bits` bits. Clamped to `Int.max` on
  /// 32-bit systems.
  mutating func bigEndian(_ count: Int, bits: Int) -> Int? {
    number(count, bits: bits).map { Int(clamping: $0) }
  }

  private mutating func number(_ count: Int, bits: Int) -> UInt32? {
    var value: UInt32 = 0
    for _ in 0..<count {
      guard let byte = next() else { return nil }
      value = value << UInt32(bits) | UInt32(byte) & (1 << UInt32(bits) - 1)
    }
    return value
  }

  /// Reads a 32-bit little-endian number.
  mutating func littleEndian32() -> Int? {
    number(4, bits: 8).map { Int(clamping: $0.byteSwapped) }
  }

  /// Skips bytes. Returns false if the range ends first.
  mutating func skip(_ count: Int) -> Bool {
    guard !isUnsynchronised else {
      for _ in 0..<count where next() == nil { return false }
      return true
    }
    if count <= buffer.count - index {
      index += count
      return true
    }
    let target = bufferStart + Int64(index) + Int64(count)
    guard target <= end else { return false }
    bufferStart = target
    index = 0
    buffer.removeAll(keepingCapacity: true)
    return true
  }

  private mutating func raw() -> UInt8? {
    if index == buffer.count {
      bufferStart += Int64(buffer.count)
      index = 0
      let count = Int(min(2048, end - bufferStart))
      guard count > 0, input.seek(to: bufferStart) else { return nil }
      buffer = [UInt8](repeating: 0, count: count)
      let got = buffer.withUnsafeMutableBytes { input.readFully(into: $0.baseAddress!, count: count) }
      guard got > 0 else {
        buffer = []
        return nil
      }
      buffer.removeLast(count - got)
    }
    defer { index += 1 }
    return buffer[index]
  }
}
