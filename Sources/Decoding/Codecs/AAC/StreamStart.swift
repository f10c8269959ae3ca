// The data that initialises libfaad, and the properties that it states. A value; worker process only.

import CodecSupport
import MediaFormats

/// The data before or in the first packet.
enum StreamStart {
  /// The configuration in an MP4 file (AudioSpecificConfig, ISO 14496-3, 1.6.2.1).
  case configuration([UInt8])
  /// A packet with its ADTS header.
  case packet([UInt8])

  /// Whether the headers state one channel.
  var isMono: Bool {
    switch self {
    case .configuration(let bytes): bytes.count >= 2 && Self.rateIndex(bytes) < 13 && bytes[1] >> 3 & 15 == 1
    case .packet(let bytes): Self.header(bytes)?.channelConfiguration == 1
    }
  }

  /// The rate in Hz before spectral band replication; 0 if it is not in the standard's table.
  var coreRate: Int {
    switch self {
    case .configuration(let bytes):
      guard bytes.count >= 2 else { return 0 }
      let index = Self.rateIndex(bytes)
      return index < 12 ? ADTSHeader.rate(index) : 0
    case .packet(let bytes): return Self.header(bytes).map { ADTSHeader.rate($0.rateIndex) } ?? 0
    }
  }

  /// Whether it is AAC LC, in which a packet depends only on itself and the previous one.
  var isLowComplexity: Bool {
    switch self {
    case .configuration(let bytes): bytes.first.map { $0 >> 3 == 2 } ?? false
    case .packet(let bytes): bytes.count > 2 && bytes[2] >> 6 == 1
    }
  }

  private static func rateIndex(_ bytes: [UInt8]) -> Int { Int((bytes[0] & 7) << 1 | bytes[1] >> 7) }

  private static func header(_ bytes: [UInt8]) -> ADTSHeader? {
    bytes.withUnsafeBufferPointer { ADTSHeader($0) }
  }
}
