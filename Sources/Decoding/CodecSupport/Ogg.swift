// Detection of codecs in Ogg files (RFC 3533) by their first pages. A pure function; worker process only.

import MediaFormats

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
  while let page = OggPage(bytes, at: offset), page.isFirst {
    let body = offset + page.headerSize
    if hasMagic(bytes, magic, at: body) { return isFirst ? 100 : 90 }
    offset = body + page.bodySize
    isFirst = false
  }
  return 0
}
