// Parser for FLAC frame headers (RFC 9639, 9.1), to find frames. Pure functions; worker process only.

import CodecSupport

/// A frame header with a valid checksum.
struct FLACFrameHeader {
  /// Number of the frame, or of its first sample if `countsSamples`.
  let number: Int64
  let countsSamples: Bool
  /// Samples per channel.
  let blockSize: Int
  /// Sample rate in Hz; 0 if only the stream's header states it.
  let rate: Int
  let channels: Int
  /// Bits per sample; 0 if only the stream's header states them.
  let bits: Int

  /// Maximum size of a header in bytes.
  static let maxBytes = 16

  /// Parses a header; nil if the bytes are not a valid one.
  init?(_ bytes: Bytes, at offset: Int) {
    guard offset >= 0, bytes.count - offset >= 6, bytes[offset] == 0xFF, bytes[offset + 1] & 0xFE == 0xF8
    else { return nil }
    countsSamples = bytes[offset + 1] & 1 == 1
    let (sizeBits, rateBits) = (Int(bytes[offset + 2] >> 4), Int(bytes[offset + 2] & 15))
    let (channelBits, depthBits) = (Int(bytes[offset + 3] >> 4), Int(bytes[offset + 3] >> 1 & 7))
    guard sizeBits != 0, rateBits != 15, channelBits <= 10, depthBits != 3, bytes[offset + 3] & 1 == 0 else {
      return nil
    }
    bits = Self.depths[depthBits]
    channels = channelBits < 8 ? channelBits + 1 : 2
    // The number is encoded like UTF-8, with up to seven bytes.
    var place = offset + 4
    let lead = bytes[place]
    let length = lead < 0x80 ? 1 : (~lead).leadingZeroBitCount
    guard length == 1 && lead < 0x80 || (2...7).contains(length), place + length <= bytes.count else {
      return nil
    }
    var number = length == 1 ? Int64(lead) : Int64(lead) & ((1 << Int64(max(0, 7 - length))) - 1)
    for index in 1..<max(1, length) {
      guard bytes[place + index] & 0xC0 == 0x80 else { return nil }
      number = number << 6 | Int64(bytes[place + index] & 0x3F)
    }
    self.number = number
    place += length
    func big(_ count: Int) -> Int? {
      guard place + count <= bytes.count else { return nil }
      defer { place += count }
      return (0..<count).reduce(0) { $0 << 8 | Int(bytes[place + $1]) }
    }
    switch sizeBits {
    case 1: blockSize = 192
    case 2...5: blockSize = 576 << (sizeBits - 2)
    case 6:
      guard let size = big(1) else { return nil }
      blockSize = size + 1
    case 7:
      guard let size = big(2) else { return nil }
      blockSize = size + 1
    default: blockSize = 256 << (sizeBits - 8)
    }
    switch rateBits {
    case 12:
      guard let kilohertz = big(1) else { return nil }
      rate = kilohertz * 1000
    case 13:
      guard let hertz = big(2) else { return nil }
      rate = hertz
    case 14:
      guard let tens = big(2) else { return nil }
      rate = tens * 10
    default: rate = Self.rates[rateBits]
    }
    guard place < bytes.count, Self.checksum(bytes, from: offset, to: place) == bytes[place] else {
      return nil
    }
  }

  /// Number of the frame's first sample, in a stream of a fixed block size.
  func sample(fixedBlock: Int) -> Int64 { countsSamples ? number : number * Int64(fixedBlock) }

  /// Whether `next` may directly follow this frame in the same stream.
  func isFollowed(by next: FLACFrameHeader) -> Bool {
    next.countsSamples == countsSamples && next.rate == rate && next.channels == channels && next.bits == bits
      && next.sample(fixedBlock: blockSize) == sample(fixedBlock: blockSize) + Int64(blockSize)
  }

  private static let depths = [0, 8, 12, 0, 16, 20, 24, 32]
  private static let rates = [
    0, 88200, 176_400, 192_000, 8000, 16000, 22050, 24000, 32000, 44100, 48000, 96000,
  ]

  /// CRC-8 with the polynomial x^8 + x^2 + x + 1.
  private static func checksum(_ bytes: Bytes, from start: Int, to end: Int) -> UInt8 {
    var sum: UInt8 = 0
    for index in start..<end {
      sum ^= bytes[index]
      for _ in 0..<8 { sum = sum & 0x80 != 0 ? sum << 1 ^ 0x07 : sum << 1 }
    }
    return sum
  }
}
