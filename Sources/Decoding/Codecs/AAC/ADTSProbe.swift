// Probes for AAC without a container (ADTS). Pure functions; worker process only.

import CodecSupport
import MediaFormats

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
