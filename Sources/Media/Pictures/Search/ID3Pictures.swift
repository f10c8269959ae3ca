// Finds pictures in ID3v2 tags, versions 2.2 to 2.4 (id3.org). Runs in the picture process; no side effects except
// reads; accepts any bytes.

import MediaFormats

/// The pictures of an ID3v2 tag.
enum ID3Pictures {
  /// Number of bytes before a picture in its frame: encoding, media type, kind and description.
  private static let maxHead = 64 << 10

  /// Offers the pictures of the tag at offset `start`.
  static func offer(
    from input: PictureInput, _ header: ID3Header, at start: Int64, to choice: inout PictureChoice
  ) throws(PictureFault) {
    var frames = ID3Frames(header, at: start, in: input, limit: 32 << 20)
    while !choice.isSettled, let frame = frames.next() {
      guard frame.id == UInt32(characters: "APIC") || frame.id == UInt32(characters: "PIC"),
        let content = frames.content(atMost: Picture.maxBytes + maxHead)
      else { continue }
      try offer(content, isOld: header.major == 2, to: &choice)
    }
  }

  private static func offer(
    _ body: [UInt8], isOld: Bool, to choice: inout PictureChoice
  ) throws(PictureFault) {
    guard let encoding = body.first, !body.has("-->", at: 1) else { return }
    var place = 1
    if isOld {
      place += 3
    } else {
      guard let end = body[1...].firstIndex(of: 0) else { return }
      place = end + 1
    }
    guard place < body.count else { return }
    let kind = Int64(body[place])
    place += 1
    // The description ends with one or two zero bytes, depending on its encoding.
    if encoding == 1 || encoding == 2 {
      while place + 1 < body.count, body[place] != 0 || body[place + 1] != 0 { place += 2 }
      place += 2
    } else {
      while place < body.count, body[place] != 0 { place += 1 }
      place += 1
    }
    guard place < body.count else { return }
    try choice.offer(kind, body[place...])
  }
}
