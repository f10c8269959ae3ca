// Little-endian encoding and decoding of numbers and text. The reader trusts nothing and never traps. Pure
// values; any thread but the audio thread.

import PlaybackModel

/// The error for bytes that no encoder produces.
struct Malformed: Error {
  /// The fault, for the log.
  let what: String
  init(_ what: String) { self.what = what }
}

/// Encodes numbers and text.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  /// Appends the lowest `count` bytes of a number.
  mutating func number(_ value: some FixedWidthInteger, _ count: Int) {
    for i in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * i))) }
  }

  mutating func byte(_ value: UInt8) { bytes.append(value) }
  mutating func flag(_ value: Bool) { bytes.append(value ? 1 : 0) }
  mutating func frames(_ value: Frames) { compact(UInt64(min(max(value, .zero), .maxLength).count)) }
  mutating func raw(_ slice: some Sequence<UInt8>) { bytes.append(contentsOf: slice) }

  /// Appends a variable-length number: seven bits per byte, lowest first, with the top bit set if more follow
  /// (LEB128).
  mutating func compact(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Appends a signed variable-length number (zigzag), in which small absolute values are short.
  mutating func compactSigned(_ value: Int64) {
    compact(UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  /// Appends text with its length, cut to `limit` bytes at a character boundary.
  mutating func text(_ text: String, limit: Int) {
    let utf8 = Array(text.utf8).clipped(to: limit)
    compact(UInt64(utf8.count))
    bytes.append(contentsOf: utf8)
  }

  /// Appends zeros up to a length.
  mutating func pad(to count: Int) {
    while bytes.count < count { bytes.append(0) }
  }

  /// Overwrites the lowest `count` bytes of a number written before.
  mutating func replace(at start: Int, with value: UInt64, _ count: Int) {
    for i in 0..<count { bytes[start + i] = UInt8(truncatingIfNeeded: value >> UInt64(8 * i)) }
  }
}

extension Array<UInt8> {
  /// The first `limit` bytes, without an incomplete UTF-8 sequence at the end.
  func clipped(to limit: Int) -> [UInt8] {
    guard count > limit else { return self }
    var end = limit
    while end > 0, self[end] & 0xC0 == 0x80 { end -= 1 }
    return Array(self[..<end])
  }
}

/// Decodes numbers and text. Every read checks the remaining length and throws `Malformed` at the end.
struct ByteReader {
  private let bytes: [UInt8]
  private(set) var position: Int
  private let end: Int
  /// Whether variable-length numbers have their full width, as in slots of version 1.
  var isPadded = false

  /// Creates a reader of `bytes` from `start` up to `end`. `start` must be within them.
  init(_ bytes: [UInt8], from start: Int = 0, to end: Int? = nil) {
    self.bytes = bytes
    self.end = min(end ?? bytes.count, bytes.count)
    position = start
  }

  var rest: Int { end - position }

  mutating func number(_ count: Int) throws(Malformed) -> UInt64 {
    guard count <= rest else { throw Malformed("it ends too early") }
    var value: UInt64 = 0
    for i in 0..<count { value |= UInt64(bytes[position + i]) << UInt64(8 * i) }
    position += count
    return value
  }

  mutating func byte() throws(Malformed) -> UInt8 { UInt8(try number(1)) }

  /// Reads a number as an `Int`, clamping it on boards where `Int` has 32 bits.
  mutating func integer(_ count: Int) throws(Malformed) -> Int { Int(clamping: try number(count)) }

  mutating func flag() throws(Malformed) -> Bool {
    switch try byte() {
    case 0: false
    case 1: true
    default: throw Malformed("a flag is neither 0 nor 1")
    }
  }

  /// Reads a position or length, from 0 to `Frames.longest`.
  mutating func frames() throws(Malformed) -> Frames {
    let value = try compact(padded: 8)
    guard value <= UInt64(Frames.maxLength.count) else { throw Malformed("a position is out of bounds") }
    return Frames(Int64(value))
  }

  mutating func raw(_ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
    guard count >= 0, count <= rest else { throw Malformed("it ends too early") }
    defer { position += count }
    return bytes[position..<position + count]
  }

  mutating func compact() throws(Malformed) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try byte()
      guard shift < 63 || byte <= 1 else { throw Malformed("a number is too large") }
      value |= UInt64(byte & 0x7F) << shift
      guard byte & 0x80 != 0 else { return value }
      shift += 7
      guard shift <= 63 else { throw Malformed("a number is too long") }
    }
  }

  /// Reads a variable-length number, or one of `count` bytes if numbers are padded.
  mutating func compact(padded count: Int) throws(Malformed) -> UInt64 {
    isPadded ? try number(count) : try compact()
  }

  mutating func compactSigned() throws(Malformed) -> Int64 {
    let value = try compact()
    return Int64(bitPattern: value >> 1) ^ -Int64(value & 1)
  }

  /// Reads a number of at most `limit`.
  mutating func count(atMost limit: Int, _ what: String) throws(Malformed) -> Int {
    let value = try compact()
    guard value <= UInt64(limit) else { throw Malformed(what + " is out of bounds") }
    return Int(value)
  }

  mutating func text(limit: Int) throws(Malformed) -> String {
    let count = try count(atMost: limit, "the length of a text")
    return String(decoding: try raw(count), as: UTF8.self)
  }

  /// Reads a byte that is the raw value of an enumeration.
  mutating func choice<T: RawRepresentable<UInt8>>(
    _ type: T.Type, _ what: String
  ) throws(Malformed) -> T {
    guard let value = T(rawValue: try byte()) else { throw Malformed("unknown " + what) }
    return value
  }
}

extension Frames {
  /// A limit beyond any real position: six thousand years at 48 kHz.
  static var maxLength: Frames { Frames(9_000_000_000_000_000) }
}
