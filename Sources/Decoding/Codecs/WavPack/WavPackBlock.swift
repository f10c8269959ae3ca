// Parser for the header of a WavPack block. Pure; worker process only.

import CodecSupport

/// The 32-byte header of a block.
struct WavPackBlock {
  /// Size of the block in bytes, including the header.
  let bytes: Int64
  /// The block's first frame, its number of frames, and the stream's number of frames, -1 if unknown.
  let first: Int64
  let count: Int64
  let total: Int64
  /// The flag bits for rate, channels, width and type of the samples.
  let kind: Int64

  /// Version of the format, such as 0x410.
  let version: Int
  /// Whether it is the first and the last block of its frames. More than two channels take several blocks.
  let isInitial: Bool
  let isFinal: Bool

  /// Maximum size of a block in bytes.
  private static let maxBytes: Int64 = 1 << 22

  /// The frame after the block's last one.
  var end: Int64 { first + count }

  init?(_ bytes: Bytes, at offset: Int) {
    guard hasMagic(bytes, "wvpk", at: offset), bytes.count - offset >= 32 else { return nil }
    func little(_ place: Int) -> Int64 {
      (0..<4).reduce(0) { $0 | Int64(bytes[offset + place + $1]) << Int64(8 * $1) }
    }
    self.bytes = little(4) + 8
    first = little(16) | Int64(bytes[offset + 10]) << 32
    count = little(20)
    kind = little(24) & 0x0780_0087
    isInitial = little(24) & 0x800 != 0
    isFinal = little(24) & 0x1000 != 0
    // The upper byte counts in units of 2^32 - 1, so that the lower 32 bits are never all ones.
    let upper = Int64(bytes[offset + 11])
    total = little(12) == 0xFFFF_FFFF ? -1 : little(12) + upper << 32 - upper
    version = Int(bytes[offset + 8]) | Int(bytes[offset + 9]) << 8
    guard self.bytes >= 32, self.bytes <= Self.maxBytes else { return nil }
  }
}

extension WavPackBlock {
  /// Whether a block of a station is valid: its size fits its frame count, and its version is from 2004 or
  /// later.
  var isPlausible: Bool {
    (0x402...0x410).contains(version) && (0...Self.maxFrames).contains(count) && bytes <= 1 << 16 + count * 10
  }

  /// Maximum number of frames of a block; libwavpack writes no larger ones.
  static let maxFrames: Int64 = 1 << 18
}
