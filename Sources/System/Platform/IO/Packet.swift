// Fixed-size fields in a byte array: how messages between processes are written and read.
// Native byte order, since both ends are one executable. Any thread.

/// Appends fields.
package struct PacketWriter {
  /// What was appended so far.
  package private(set) var bytes: [UInt8] = []

  /// Nothing yet.
  package init() {}

  /// A number of 32 bits.
  package mutating func put(_ value: UInt32) {
    withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
  }
  /// A number of 64 bits.
  package mutating func put(_ value: UInt64) {
    withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
  }
  /// A number of 64 bits, with its sign.
  package mutating func put(_ value: Int64) { put(UInt64(bitPattern: value)) }
  /// A number with a point.
  package mutating func put(_ value: Float) { put(value.bitPattern) }
  /// A yes or a no, as 32 bits.
  package mutating func put(_ value: Bool) { put(value ? 1 as UInt32 : 0) }

  /// A text field of exactly `size` bytes: cut if too long, padded with zeros.
  package mutating func put(_ text: String, size: Int) {
    let utf8 = Array(text.utf8.prefix(size))
    bytes.append(contentsOf: utf8)
    bytes.append(contentsOf: repeatElement(0, count: size - utf8.count))
  }
}

/// Takes fields off the front; nil once a field is missing or impossible.
package struct PacketReader {
  private let bytes: ArraySlice<UInt8>
  private var position: Int

  /// Begins at the front.
  package init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  /// Whether every byte was taken.
  package var isAtEnd: Bool { position == bytes.endIndex }

  private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard bytes.endIndex - position >= count else { return nil }
    defer { position += count }
    return bytes[position..<position + count]
  }

  /// A number of 64 bits.
  package mutating func uint64() -> UInt64? {
    guard let field = take(8) else { return nil }
    var value: UInt64 = 0
    withUnsafeMutableBytes(of: &value) { $0.copyBytes(from: field) }
    return value
  }
  /// A number of 32 bits.
  package mutating func uint32() -> UInt32? {
    guard let field = take(4) else { return nil }
    var value: UInt32 = 0
    withUnsafeMutableBytes(of: &value) { $0.copyBytes(from: field) }
    return value
  }
  /// A number of 64 bits, with its sign.
  package mutating func int64() -> Int64? { uint64().map { Int64(bitPattern: $0) } }
  /// A number with a point; it may be none.
  package mutating func float() -> Float? { uint32().map { Float(bitPattern: $0) } }
  /// A yes or a no.
  package mutating func bool() -> Bool? {
    guard let value = uint32(), value <= 1 else { return nil }
    return value == 1
  }
  /// Everything that is left, as a text.
  package mutating func restAsText(limit: Int) -> String? {
    guard bytes.endIndex - position <= limit else { return nil }
    return text(size: bytes.endIndex - position)
  }
  /// A text field of exactly `size` bytes, made fit for a terminal.
  package mutating func text(size: Int) -> String? {
    take(size).map { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self).printable(limit: size) }
  }
}
