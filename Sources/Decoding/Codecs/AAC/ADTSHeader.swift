// Parser for ADTS frame headers (ISO 13818-7 6.2, ISO 14496-3 1.A.2.2), to follow a stream. Pure functions;
// worker process only.

import CodecSupport

/// A header with valid fields.
struct ADTSHeader {
  /// Size in bytes of a header without checksum.
  static let size = 7

  /// The fields that are equal in all headers of a stream.
  let shape: UInt32
  /// Distance in bytes from this header to the next.
  let frameBytes: Int
  /// Index into the standard's table of rates, 0 to 11.
  let rateIndex: Int
  /// 0 (defined in the stream), 1 to 6 channels, or 7 for eight channels.
  let channelConfiguration: Int
  /// Whether each frame contains one raw data block, of 1024 samples per channel.
  let holdsOneBlock: Bool

  /// Parses a header; nil if the bytes are not a valid one.
  init?(_ bytes: Bytes, at offset: Int = 0) {
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
  static func rate(_ index: Int) -> Int {
    (index % 3 == 0 ? 96000 : index % 3 == 1 ? 88200 : 64000) >> (index / 3)
  }
}

/// Probes for ADTS. Returns a score of 0 to 100.
func adtsScore(_ bytes: Bytes) -> Int32 {
  if let tag = ID3Tag(header: bytes, at: 0) {
    // A tag with a picture may fill all bytes; MP3 is more likely then.
    guard tag.byteCount < Int64(bytes.count) - Int64(ADTSHeader.size) else { return 20 }
    return adtsRun(bytes, at: Int(tag.byteCount), wanted: 2) ? 96 : 0
  }
  if adtsRun(bytes, at: 0, wanted: 3) { return 90 }
  if adtsRun(bytes, at: 0, wanted: 2) { return 50 }
  // Recordings of broadcast streams begin inside a frame.
  for offset in 1..<max(1, min(2048, bytes.count)) where adtsRun(bytes, at: offset, wanted: 3) { return 25 }
  return 0
}

/// Whether a number of consistent headers follow each other.
///
/// - Parameters:
///   - bytes: The data.
///   - offset: Index of the first header.
///   - wanted: Number of headers.
///   - endsFile: Whether the file ends with `bytes`, so that fewer headers are enough.
func adtsRun(_ bytes: Bytes, at offset: Int, wanted: Int, endsFile: Bool = false) -> Bool {
  guard let first = ADTSHeader(bytes, at: offset) else { return false }
  var next = offset + first.frameBytes
  for _ in 1..<wanted {
    if endsFile, next == bytes.count { return true }
    guard let header = ADTSHeader(bytes, at: next), header.shape == first.shape else { return false }
    next += header.frameBytes
  }
  return true
}
