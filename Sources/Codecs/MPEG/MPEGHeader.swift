// MPEG audio frame headers (ISO 11172-3 2.4.1.3, ISO 13818-3), as far as finding and judging a stream
// needs them; libmpg123 decodes. Pure functions; worker process only.

import CodecSupport

/// A frame header whose every field is legal and whose frame length is known.
struct MPEGHeader {
  enum Version: UInt8 {
    case mpeg25 = 0
    case mpeg2 = 2
    case mpeg1 = 3
  }

  let version: Version
  /// 1 to 3.
  let layer: Int
  let rate: Int
  let isMono: Bool
  /// Bytes from this header to the next.
  let frameBytes: Int

  /// The header at `offset`; nil if those bytes are none, or a free-format one.
  init?(_ bytes: Bytes, at offset: Int) {
    guard offset >= 0, bytes.count - offset >= 4, bytes[offset] == 0xFF, bytes[offset + 1] & 0xE0 == 0xE0,
      let version = Version(rawValue: bytes[offset + 1] >> 3 & 3)
    else { return nil }
    let layerBits = Int(bytes[offset + 1] >> 1 & 3)
    let bitRateIndex = Int(bytes[offset + 2] >> 4)
    let rateIndex = Int(bytes[offset + 2] >> 2 & 3)
    let padding = Int(bytes[offset + 2] >> 1 & 1)
    guard layerBits != 0, bitRateIndex >= 1, bitRateIndex <= 14, rateIndex < 3 else { return nil }
    self.version = version
    layer = 4 - layerBits
    let baseRate = rateIndex == 0 ? 44100 : rateIndex == 1 ? 48000 : 32000
    rate = version == .mpeg1 ? baseRate : version == .mpeg2 ? baseRate / 2 : baseRate / 4
    isMono = bytes[offset + 3] >> 6 == 3
    let bitRate = 1000 * Self.kilobits(version, layer: layer, index: bitRateIndex)
    switch layer {
    case 1: frameBytes = (12 * bitRate / rate + padding) * 4
    case 3 where version != .mpeg1: frameBytes = 72 * bitRate / rate + padding
    default: frameBytes = 144 * bitRate / rate + padding
    }
  }

  /// Bytes of the side information behind a layer III header; a Xing tag lies after it.
  var sideInformationBytes: Int {
    switch (version, isMono) {
    case (.mpeg1, false): 32
    case (.mpeg1, true), (_, false): 17
    case (_, true): 9
    }
  }

  /// Whether both can belong to one stream.
  func agrees(with other: MPEGHeader) -> Bool {
    version == other.version && layer == other.layer && rate == other.rate
  }

  private static func kilobits(_ version: Version, layer: Int, index: Int) -> Int {
    // The standard's tables in steps of 8 kbit/s, a byte each: indices 1 to 7, then 8 to 14.
    let steps: (UInt64, UInt64) =
      switch (version == .mpeg1, layer) {
      case (true, 1): (0x1C_1814_100C_0804, 0x38_3430_2C28_2420)
      case (true, 2): (0x0E_0C0A_0807_0604, 0x30_2820_1C18_1410)
      case (true, _): (0x0C_0A08_0706_0504, 0x28_201C_1814_100E)
      case (false, 1): (0x0E_0C0A_0807_0604, 0x20_1C18_1614_1210)
      case (false, _): (0x07_0605_0403_0201, 0x14_1210_0E0C_0A08)
      }
    let group = index <= 7 ? steps.0 : steps.1
    return 8 * Int(group >> UInt64((index - 1) % 7 * 8) & 0xFF)
  }
}

/// How sure one can be that `bytes` begin an MPEG audio file, 0 to 100.
func mpegScore(_ bytes: Bytes) -> Int32 {
  if let tag = ID3Tag(header: bytes, at: 0) {
    // Behind a tag with a picture the stream is out of sight; ID3 is MP3's more than anyone's.
    guard tag.byteCount < Int64(bytes.count) - 4 else { return 60 }
    return hasMagic(bytes, "fLaC", at: Int(tag.byteCount))
      ? 0 : frameRun(bytes, at: Int(tag.byteCount)) ? 95 : 40
  }
  if hasMagic(bytes, "RIFF"), hasMagic(bytes, "WAVEfmt ", at: 8), bytes.count >= 22 {
    // MPEG audio in a WAV wrapper: format tags 0x50 (layers I and II) and 0x55 (layer III).
    return (bytes[20] == 0x55 || bytes[20] == 0x50) && bytes[21] == 0 ? 95 : 0
  }
  if frameRun(bytes, at: 0) { return 50 }
  // Streams recorded off the air begin inside a frame.
  for offset in 1..<max(1, min(2048, bytes.count)) where frameRun(bytes, at: offset, wanted: 3) { return 20 }
  return 0
}

/// Whether `wanted` headers that agree follow one another from `offset` on, or fewer to the end of a file
/// that ends with the bytes.
func frameRun(_ bytes: Bytes, at offset: Int, wanted: Int = 2, endsFile: Bool = false) -> Bool {
  guard let first = MPEGHeader(bytes, at: offset) else { return false }
  var next = offset + first.frameBytes
  for _ in 1..<wanted {
    if endsFile, next >= bytes.count { return true }
    guard let header = MPEGHeader(bytes, at: next), header.agrees(with: first) else { return false }
    next += header.frameBytes
  }
  return true
}
