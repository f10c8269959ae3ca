// Parser for MPEG audio frame headers (ISO 11172-3 2.4.1.3, ISO 13818-3), to recognise streams and count
// frames. Pure functions; worker process only.

import CodecSupport

/// A valid frame header with a known frame length.
struct MPEGHeader {
  enum Version: UInt8 {
    case mpeg25 = 0
    case mpeg2 = 2
    case mpeg1 = 3
  }

  let version: Version
  /// Layer, 1 to 3.
  let layer: Int
  let rate: Int
  let isMono: Bool
  /// Bit rate in bit/s; 0 in free format.
  let bitRate: Int
  /// Distance in bytes from this header to the next.
  let frameBytes: Int
  /// Size in bytes of unpadded frames in free format; 0 otherwise.
  let freeBytes: Int

  /// Maximum size of a frame in bytes, including free format.
  static let maxFrameBytes = 3456

  /// Parses a header; nil if the bytes are not a valid one.
  ///
  /// - Parameters:
  ///   - bytes: The data.
  ///   - offset: Index of the header.
  ///   - free: Size in bytes of unpadded frames in free format, whose headers do not state it; 0 to reject
  ///     free format.
  init?(_ bytes: Bytes, at offset: Int, free: Int = 0) {
    guard offset >= 0, bytes.count - offset >= 4, bytes[offset] == 0xFF, bytes[offset + 1] & 0xE0 == 0xE0,
      let version = Version(rawValue: bytes[offset + 1] >> 3 & 3)
    else { return nil }
    let layerBits = Int(bytes[offset + 1] >> 1 & 3)
    let bitRateIndex = Int(bytes[offset + 2] >> 4)
    let rateIndex = Int(bytes[offset + 2] >> 2 & 3)
    let padding = Int(bytes[offset + 2] >> 1 & 1)
    guard layerBits != 0, bitRateIndex >= 1 || free > 0, bitRateIndex <= 14, rateIndex < 3 else { return nil }
    self.version = version
    layer = 4 - layerBits
    let baseRate = rateIndex == 0 ? 44100 : rateIndex == 1 ? 48000 : 32000
    rate = version == .mpeg1 ? baseRate : version == .mpeg2 ? baseRate / 2 : baseRate / 4
    isMono = bytes[offset + 3] >> 6 == 3
    bitRate = bitRateIndex == 0 ? 0 : 1000 * Self.kilobits(version, layer: layer, index: bitRateIndex)
    freeBytes = bitRateIndex == 0 ? free : 0
    switch layer {
    case _ where bitRateIndex == 0: frameBytes = free + padding * (layer == 1 ? 4 : 1)
    case 1: frameBytes = (12 * bitRate / rate + padding) * 4
    case 3 where version != .mpeg1: frameBytes = 72 * bitRate / rate + padding
    default: frameBytes = 144 * bitRate / rate + padding
    }
  }

  /// Parses the first header of a stream. In free format, searches for the next header to determine the frame
  /// size.
  static func first(_ bytes: Bytes, at offset: Int) -> MPEGHeader? {
    if let header = MPEGHeader(bytes, at: offset) { return header }
    // Assumes the maximum frame size until the next header is found.
    guard let probe = MPEGHeader(bytes, at: offset, free: maxFrameBytes) else { return nil }
    let slot = probe.layer == 1 ? 4 : 1
    let padding = probe.frameBytes - maxFrameBytes
    var place = offset + 24
    while place + 4 <= min(bytes.count, offset + maxFrameBytes) {
      defer { place += 1 }
      let size = place - offset - padding
      guard bytes[place] == 0xFF, size % slot == 0,
        let header = MPEGHeader(bytes, at: offset, free: size),
        let second = MPEGHeader(bytes, at: place, free: size), second.isLike(header), second.freeBytes > 0
      else { continue }
      let third = place + second.frameBytes
      guard third + 4 <= bytes.count else { return header }
      if let last = MPEGHeader(bytes, at: third, free: size), last.isLike(header), last.freeBytes > 0 {
        return header
      }
    }
    return nil
  }

  /// Number of audio frames (samples per channel) in an MPEG frame.
  var samples: Int { layer == 1 ? 384 : layer == 3 && version != .mpeg1 ? 576 : 1152 }

  /// Average size of a frame in bytes, padding included; nil in free format, where padding follows no rule.
  var exactFrameBytes: Double? {
    bitRate == 0 ? nil : Double(samples) / 8 * Double(bitRate) / Double(rate)
  }

  /// Whether both have the same version, layer, rate and channel count, so that libmpg123 decodes them as one
  /// stream.
  func isLike(_ other: MPEGHeader) -> Bool { agrees(with: other) && isMono == other.isMono }

  /// Size in bytes of the layer III side information, after which a Xing tag is stored.
  var sideInformationBytes: Int {
    switch (version, isMono) {
    case (.mpeg1, false): 32
    case (.mpeg1, true), (_, false): 17
    case (_, true): 9
    }
  }

  /// Whether both have the same version, layer and rate.
  func agrees(with other: MPEGHeader) -> Bool {
    version == other.version && layer == other.layer && rate == other.rate
  }

  private static func kilobits(_ version: Version, layer: Int, index: Int) -> Int {
    // The standard's tables in steps of 8 kbit/s, one byte each: indices 1 to 7, then 8 to 14.
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

/// Probes for MPEG audio. Returns a score of 0 to 100.
func mpegScore(_ bytes: Bytes) -> Int32 {
  if let tag = ID3Tag(header: bytes, at: 0) {
    // A tag with a picture may fill all bytes. ID3 is used mostly by MP3.
    guard tag.byteCount < Int64(bytes.count) - 4 else { return 60 }
    return hasMagic(bytes, "fLaC", at: Int(tag.byteCount))
      ? 0 : frameRun(bytes, at: Int(tag.byteCount)) ? 95 : 40
  }
  if hasMagic(bytes, "RIFF"), hasMagic(bytes, "WAVEfmt ", at: 8), bytes.count >= 22 {
    // MPEG audio in a WAV container: format tags 0x50 (layers I and II) and 0x55 (layer III).
    return (bytes[20] == 0x55 || bytes[20] == 0x50) && bytes[21] == 0 ? 95 : 0
  }
  if frameRun(bytes, at: 0) { return 50 }
  // Recordings of broadcast streams begin inside a frame.
  for offset in 1..<max(1, min(2048, bytes.count)) where frameRun(bytes, at: offset, wanted: 3) { return 20 }
  return 0
}

/// Whether a number of consistent headers follow each other.
///
/// - Parameters:
///   - bytes: The data.
///   - offset: Index of the first header.
///   - wanted: Number of headers.
///   - endsFile: Whether the file ends with `bytes`, so that fewer headers are enough.
func frameRun(_ bytes: Bytes, at offset: Int, wanted: Int = 2, endsFile: Bool = false) -> Bool {
  guard let first = MPEGHeader.first(bytes, at: offset) else { return false }
  var next = offset + first.frameBytes
  for _ in 1..<wanted {
    if endsFile, next >= bytes.count { return true }
    guard let header = MPEGHeader(bytes, at: next, free: first.freeBytes), header.agrees(with: first) else {
      return false
    }
    next += header.frameBytes
  }
  return true
}
