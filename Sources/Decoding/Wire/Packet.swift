// Fixed-size fields in a byte array: how messages between engine and worker are written and read.
// Native byte order, since both ends are one executable. Any thread.

/// Appends fields.
struct PacketWriter {
  private(set) var bytes: [UInt8] = []

  mutating func put(_ value: UInt32) {
    withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
  }
  mutating func put(_ value: UInt64) {
    withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
  }
  mutating func put(_ value: Int64) { put(UInt64(bitPattern: value)) }
  mutating func put(_ value: Float) { put(value.bitPattern) }
  mutating func put(_ value: Bool) { put(value ? 1 as UInt32 : 0) }

  /// A text field of exactly `size` bytes: cut if too long, padded with zeros.
  mutating func put(_ text: String, size: Int) {
    let utf8 = Array(text.utf8.prefix(size))
    bytes.append(contentsOf: utf8)
    bytes.append(contentsOf: repeatElement(0, count: size - utf8.count))
  }
}

/// Takes fields off the front; nil once a field is missing or impossible.
struct PacketReader {
  private let bytes: ArraySlice<UInt8>
  private var position: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  /// Whether every byte was taken.
  var isAtEnd: Bool { position == bytes.endIndex }

  private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard bytes.endIndex - position >= count else { return nil }
    defer { position += count }
    return bytes[position..<position + count]
  }

  mutating func uint64() -> UInt64? {
    guard let field = take(8) else { return nil }
    var value: UInt64 = 0
    withUnsafeMutableBytes(of: &value) { $0.copyBytes(from: field) }
    return value
  }
  mutating func uint32() -> UInt32? {
    guard let field = take(4) else { return nil }
    var value: UInt32 = 0
    withUnsafeMutableBytes(of: &value) { $0.copyBytes(from: field) }
    return value
  }
  mutating func int64() -> Int64? { uint64().map { Int64(bitPattern: $0) } }
  mutating func float() -> Float? { uint32().map { Float(bitPattern: $0) } }
  mutating func bool() -> Bool? {
    guard let value = uint32(), value <= 1 else { return nil }
    return value == 1
  }
  /// Everything that is left, as a text.
  mutating func restAsText(limit: Int) -> String? {
    guard bytes.endIndex - position <= limit else { return nil }
    return text(size: bytes.endIndex - position)
  }
  mutating func text(size: Int) -> String? {
    take(size).map { sanitisedText($0.prefix { $0 != 0 }, limit: size) }
  }
}

/// A text from an untrusted process, fit for a terminal: UTF-8 repaired; control characters and those that
/// turn the direction of writing removed; at most `limit` bytes, cut at a character.
func sanitisedText(_ bytes: some Sequence<UInt8>, limit: Int) -> String {
  var result = String.UnicodeScalarView()
  var length = 0
  for scalar in String(decoding: Array(bytes), as: UTF8.self).unicodeScalars {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF, 0xFFF9...0xFFFB:
      continue
    default: break
    }
    length += UTF8.width(scalar)
    if length > limit { break }
    result.append(scalar)
  }
  return String(result)
}
