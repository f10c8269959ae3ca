// ADTS frame headers (ISO 13818-7 6.2, ISO 14496-3 1.A.2.2), as far as following a stream needs them; libfaad reads them
// again. Pure functions; worker process only.

import CodecSupport

/// A header whose every field is legal.
struct ADTSHeader {
  /// Bytes of a header without checksum.
  static let size = 7

  /// What all headers of a stream have in common: everything but private bits and what counts bytes.
  let shape: UInt32
  /// Bytes from this header to the next.
  let frameBytes: Int
  /// Index into the standard's table of rates, below 12.
  let rateIndex: Int
  /// 0 (the stream itself says which), 1 to 6, or 7 for eight channels.
  let channelConfiguration: Int
  /// Whether each frame holds one block, of 1024 samples a channel.
  let holdsOneBlock: Bool

  /// The header at `offset`; nil if those bytes are none.
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

  /// The rate of an index below 12, in Hz.
  static func rate(_ index: Int) -> Int {
    (index % 3 == 0 ? 96000 : index % 3 == 1 ? 88200 : 64000) >> (index / 3)
  }
}

/// How sure one can be that `bytes` begin an ADTS stream, 0 to 100.
func adtsScore(_ bytes: Bytes) -> Int32 {
  if let tag = ID3Tag(header: bytes, at: 0) {
    // Behind a tag with a picture the stream is out of sight, and MP3 is likelier.
    guard tag.byteCount < Int64(bytes.count) - Int64(ADTSHeader.size) else { return 20 }
    return adtsRun(bytes, at: Int(tag.byteCount), wanted: 2) ? 96 : 0
  }
  if adtsRun(bytes, at: 0, wanted: 3) { return 90 }
  if adtsRun(bytes, at: 0, wanted: 2) { return 50 }
  // Streams recorded off the air begin inside a frame.
  for offset in 1..<max(1, min(2048, bytes.count)) where adtsRun(bytes, at: offset, wanted: 3) { return 25 }
  return 0
}

/// Whether `wanted` headers that agree follow one another from `offset` on, or fewer to the end of a file that ends with
/// the bytes.
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
