// The header of a WavPack block. Pure; worker process only.

import CodecSupport

/// What the 32 bytes say that a block begins with.
struct WavPackBlock {
  /// Bytes, header included.
  let bytes: Int64
  /// The stream's first frame in it, how many it has, and how many the stream has, -1 where that is not said.
  let first: Int64
  let count: Int64
  let total: Int64
  /// Bits that say rate, channels, and width and kind of the samples.
  let kind: Int64

  /// The version of the format.
  let version: Int
  /// Whether frames begin with it, and whether they end with it: those of more than two channels lie in several blocks.
  let isInitial: Bool
  let isFinal: Bool

  /// The bound of a block's bytes.
  private static let maxBytes: Int64 = 1 << 22

  /// The first frame after its own.
  var end: Int64 { first + count }

  init?(_ bytes: Bytes, at offset: Int) {
    guard hasMagic(bytes, "wvpk", at: offset), bytes.count - offset >= 32 else { return nil }
    func little(_ place: Int) -> Int64 {
      (0..<4).reduce(0) { $0 | Int64(bytes[offset + place + $1]) << Int64(8 * $1) }
    }
    self.bytes = little(4) + 8
    first = little(16) | Int64(bytes[offset + 10]) << 32
    count = little(20)
    // The upper byte counts in units of 2^32 - 1, so that the lower four are never all ones.
    kind = little(24) & 0x0780_0087
    isInitial = little(24) & 0x800 != 0
    isFinal = little(24) & 0x1000 != 0
    let upper = Int64(bytes[offset + 11])
    total = little(12) == 0xFFFF_FFFF ? -1 : little(12) + upper << 32 - upper
    version = Int(bytes[offset + 8]) | Int(bytes[offset + 9]) << 8
    guard self.bytes >= 32, self.bytes <= Self.maxBytes else { return nil }
  }
}

extension WavPackBlock {
  /// Whether a station may have sent it: its size fits its frames, and its version is one of 2004 and later.
  var isPlausible: Bool {
    (0x402...0x410).contains(version) && (0...Self.maxFrames).contains(count) && bytes <= 1 << 16 + count * 10
  }

  /// The bound of a block's frames: libwavpack makes no larger ones.
  static let maxFrames: Int64 = 1 << 18
}
