// What an Ogg file (RFC 3533) carries, by its first pages. A pure function; worker process only.

/// How sure one can be, 0 to 100, that `bytes` begin an Ogg file with a stream whose first packet starts
/// with `magic`. Streams of other kinds may stand before it.
public func oggScore(_ bytes: Bytes, streamMagic magic: StaticString) -> Int32 {
  var offset = 0
  var isFirst = true
  // The first pages of all streams come before any other page.
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
