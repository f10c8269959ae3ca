// Interprets the bytes of a fuzzed conversation as choices and as extreme numbers. A value; any thread.

/// Reads choices from bytes; returns zeros after the end.
struct Choices {
  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isOver: Bool { place >= bytes.count }

  mutating func byte() -> UInt8 {
    guard place < bytes.count else { return 0 }
    defer { place += 1 }
    return bytes[place]
  }

  /// Returns a number from 0 up to, but not including, `bound`.
  mutating func below(_ bound: Int) -> Int { Int(byte()) % bound }

  mutating func word() -> UInt64 {
    var word: UInt64 = 0
    for _ in 0..<8 { word = word << 8 | UInt64(byte()) }
    return word
  }

  mutating func run(_ count: Int) -> [UInt8] {
    let end = min(bytes.count, place + count)
    defer { place = end }
    return place < end ? Array(bytes[place..<end]) : []
  }
}

/// Numbers likely to break arithmetic.
enum Extremes {
  static let words: [UInt64] = [
    0, 1, 2, 511, 512, 4096, 32_767, 32_768, 32_769, 65_536, 1 << 24, (1 << 31) - 1, 1 << 31, (1 << 32) - 1,
    1 << 32,
    1 << 40, (1 << 44) - 1, 1 << 44, (1 << 44) + 1, 1 << 53, 1 << 60, (1 << 63) - 1, 1 << 63, (1 << 63) + 1,
    .max - 4096,
    .max - 1, .max,
  ]
  static let steps: [Int64] = [
    0, 1, -1, 2, 64, -64, 511, 512, -512, 513, 2400, -2400, 4000, -4000, 8000, -8000, 16_384, 24_000, 32_767,
    32_768, -32_768,
    32_769, 65_536, -65_536, 1 << 31, 1 << 32, -(1 << 32), 1 << 44, 1 << 62, .max, .min,
  ]
  static let floats: [UInt32] = [
    0, 0x8000_0000, 0x3F80_0000, 0xBF80_0000, 0x7F80_0000, 0xFF80_0000, 0x7FC0_0000, 0xFFC0_0000, 0x7FA0_0000,
    1,
    0x8000_0001, 0x0080_0000, 0x7F7F_FFFF, 0xFF7F_FFFF, 0x4100_0000, 0x4348_0000, 0xC348_0000, 0x4480_0000,
    0x3F80_0001,
  ]
}
