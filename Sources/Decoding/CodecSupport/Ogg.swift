// Detection of codecs in Ogg files (RFC 3533) by their first pages. A pure function; worker process only.

/// Probes for an Ogg file that contains a stream of one codec.
///
/// - Parameters:
///   - bytes: The beginning of the file.
///   - magic: The first bytes of the codec's first packet, such as `OpusHead`.
/// - Returns: 100 if the first stream is the codec's, 90 if a later one is, else 0.
public func oggScore(_ bytes: Bytes, streamMagic magic: StaticString) -> Int32 {
  var offset = 0
  var isFirst = true
  // RFC 3533: the first pages of all streams precede any other page.
  while hasMagic(bytes, "OggS", at: offset), bytes.count - offset >= 28, bytes[offset + 5] & 2 != 0 {
    let segments = Int(bytes[offset + 26])
    let body = offset + 27 + segments
    guard body <= bytes.count else { return 0 }
    if hasMagic(bytes, magic, at: body) { return isFirst ? 100 : 90 }
    offset = body
    for segment in 0..<segments { offset += Int(bytes[body - segments + segment]) }
    isFirst = false
  }
  return 0
}
