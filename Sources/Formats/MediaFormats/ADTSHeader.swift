// Headers of AAC frames without a container (ADTS: ISO 13818-7, 6.2; ISO 14496-3, 1.A.2.2). Pure.

/// A header with valid fields.
package struct ADTSHeader: Equatable, Sendable {
  /// Size in bytes of a header without checksum.
  package static let size = 7
  /// Maximum size of a frame in bytes, header included.
  package static let maxFrame = 8191

  /// The fields that are equal in all headers of a stream.
  package let shape: UInt32
  /// Distance in bytes from this header to the next.
  package let frameBytes: Int
  /// Index into the standard's table of rates, 0 to 11.
  package let rateIndex: Int
  /// 0 (defined in the stream), 1 to 6 channels, or 7 for eight channels.
  package let channelConfiguration: Int
  /// Whether each frame contains one raw data block, of 1024 samples per channel.
  package let holdsOneBlock: Bool

  /// Parses a header; nil if the bytes are not a valid one.
  package init?(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int = 0) {
    guard offset >= 0, bytes.count - offset >= Self.size, bytes[offset] == 0xFF,
      bytes[offset + 1] & 0xF6 == 0xF0
    else { return nil }
    let third = UInt32(bytes[offset + 2])
    let fourth = UInt32(bytes[offset + 3])
    rateIndex = Int(third >> 2 & 15)
    channelConfiguration = Int((third & 1) << 2 | fourth >> 6)
    frameBytes =
      Int(fourth & 3) << 11 | Int(bytes[offset + 4]) << 3 | Int(bytes[offset + 5] >> 5)
    let hasChecksum = bytes[offset + 1] & 1 == 0
    holdsOneBlock = bytes[offset + 6] & 3 == 0
    shape = UInt32(bytes[offset + 1]) << 16 | (third & 0xFD) << 8 | fourth & 0xC0
    guard rateIndex < 12, frameBytes > Self.size + (hasChecksum ? 2 : 0) else { return nil }
  }

  /// The rate in Hz of an index of 0 to 11.
  package static func rate(_ index: Int) -> Int {
    (index % 3 == 0 ? 96000 : index % 3 == 1 ? 88200 : 64000) >> (index / 3)
  }
}

/// Creates ADTS headers for the frames of an MP4 track.
package struct ADTSEncoder: Equatable, Sendable {
  private let profile: UInt8
  private let rate: UInt8
  private let channels: UInt8

  /// Parses an AudioSpecificConfig (ISO 14496-3, 1.6.2.1); nil if ADTS cannot express it.
  package init?(configuration bytes: some Collection<UInt8>) {
    var bits = BitReader(bytes.prefix(16).map { $0 })
    var kind = bits.take(5)
    let rate = bits.take(4)
    guard rate < 12 else { return nil }
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
  package func header(frame: Int) -> [UInt8] {
    let size = frame + ADTSHeader.size
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
