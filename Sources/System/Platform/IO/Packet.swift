// Encodes and decodes messages between processes as fields of fixed size, in native byte order because both
// ends are the same executable. Any thread.

/// Encodes fields.
package struct PacketWriter {
  /// The encoded fields.
  package private(set) var bytes: [UInt8] = []

  /// Creates an empty writer.
  package init() {}

  /// Appends a 32-bit number.
  package mutating func put(_ value: UInt32) {
    withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
  }
  /// Appends a 64-bit number.
  package mutating func put(_ value: UInt64) {
    withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
  }
  /// Appends a signed 64-bit number.
  package mutating func put(_ value: Int64) { put(UInt64(bitPattern: value)) }
  /// Appends a 32-bit floating-point number.
  package mutating func put(_ value: Float) { put(value.bitPattern) }
  /// Appends a Boolean as 32 bits.
  package mutating func put(_ value: Bool) { put(value ? 1 as UInt32 : 0) }

  /// Appends a text field of exactly `size` bytes, truncated or padded with zeros.
  package mutating func put(_ text: String, size: Int) {
    let utf8 = Array(text.utf8.prefix(size))
    bytes.append(contentsOf: utf8)
    bytes.append(contentsOf: repeatElement(0, count: size - utf8.count))
  }
}

/// Decodes fields. Each function returns nil if the field is missing or invalid.
package struct PacketReader {
  private let bytes: ArraySlice<UInt8>
  private var position: Int

  /// Creates a reader at the beginning of `bytes`.
  package init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  /// Whether all bytes have been read.
  package var isAtEnd: Bool { position == bytes.endIndex }

  private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard bytes.endIndex - position >= count else { return nil }
    defer { position += count }
    return bytes[position..<position + count]
  }

  /// Reads a 64-bit number.
  package mutating func uint64() -> UInt64? {
    guard let field = take(8) else { return nil }
    var value: UInt64 = 0
    withUnsafeMutableBytes(of: &value) { $0.copyBytes(from: field) }
    return value
  }
  /// Reads a 32-bit number.
  package mutating func uint32() -> UInt32? {
    guard let field = take(4) else { return nil }
    var value: UInt32 = 0
    withUnsafeMutableBytes(of: &value) { $0.copyBytes(from: field) }
    return value
  }
  /// Reads a signed 64-bit number.
  package mutating func int64() -> Int64? { uint64().map { Int64(bitPattern: $0) } }
  /// Reads a 32-bit floating-point number; it may be NaN.
  package mutating func float() -> Float? { uint32().map { Float(bitPattern: $0) } }
  /// Reads a Boolean.
  package mutating func bool() -> Bool? {
    guard let value = uint32(), value <= 1 else { return nil }
    return value == 1
  }
  /// Reads the remaining bytes as text, removing control characters.
  package mutating func restAsText(limit: Int) -> String? {
    guard bytes.endIndex - position <= limit else { return nil }
    return text(size: bytes.endIndex - position)
  }
  /// Reads a text field of exactly `size` bytes, removing control characters.
  package mutating func text(size: Int) -> String? {
    take(size).map { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self).printable(limit: size) }
  }
}
