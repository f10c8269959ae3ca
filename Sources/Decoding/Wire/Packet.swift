// Fixed-size fields in a byte array: how messages between engine and worker are written and read.
// Native byte order, since both ends are one executable. Any thread.

import Platform

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
    take(size).map { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self).printable(limit: size) }
  }
}
