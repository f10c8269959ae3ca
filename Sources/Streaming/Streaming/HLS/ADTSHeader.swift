// Encoder for the headers of AAC frames without a container (ADTS, ISO/IEC 13818-7, section 6.2). Pure;
// fetcher process.

/// Creates ADTS headers from the decoder configuration of an MP4 file.
struct ADTSHeader: Equatable {
  private let profile: UInt8
  private let rate: UInt8
  private let channels: UInt8

  /// Size of a header in bytes.
  static let size = 7
  /// Maximum size of a frame in bytes, header included.
  static let maxFrame = 8191

  /// Parses an AudioSpecificConfig (ISO/IEC 14496-3, section 1.6.2.1); nil if ADTS cannot express it.
  init?(configuration bytes: some Collection<UInt8>) {
    var bits = BitReader(bytes.prefix(16).map { $0 })
    var kind = bits.take(5)
    let rate = bits.take(4)
    guard rate < 13 else { return nil }
    let channels = bits.take(4)
    if kind == 5 || kind == 29 {
      // For SBR, the extension rate and the base object type follow. Decoders detect SBR in the frames.
      if bits.take(4) == 15 { _ = bits.take(24) }
      kind = bits.take(5)
    }
    guard (1...4).contains(kind), (1...7).contains(channels), !bits.isBeyond else { return nil }
    (profile, self.rate, self.channels) = (UInt8(kind - 1), UInt8(rate), UInt8(channels))
  }

  /// The header of a frame.
  ///
  /// - Parameter frame: Size of the frame in bytes, without header; at most `maxFrame - size`.
  func bytes(frame: Int) -> [UInt8] {
    let size = frame + Self.size
    return [
      0xFF, 0xF1, profile << 6 | rate << 2 | channels >> 2, (channels & 3) << 6 | UInt8(size >> 11 & 3),
      UInt8(size >> 3 & 0xFF), UInt8(size & 7) << 5 | 0x1F, 0xFC,
    ]
  }
}

/// Reads bits, most significant first. Returns zeros past the end.
private struct BitReader {
  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isBeyond: Bool { place > bytes.count * 8 }

  mutating func take(_ count: Int) -> Int {
    var value = 0
    for _ in 0..<count {
      let bit = place < bytes.count * 8 ? Int(bytes[place / 8] >> UInt8(7 - place % 8)) & 1 : 0
      value = value << 1 | bit
      place += 1
    }
    return value
  }
}
