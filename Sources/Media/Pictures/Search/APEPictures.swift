// Finds pictures in APEv2 tags at the end of WavPack and some MP3 files (wiki.hydrogenaud.io, APEv2). Runs in the
// picture process; no side effects except reads; accepts any bytes.

import MediaFormats

/// A tag at the end of a file.
enum APEPictures {
  /// Maximum size in bytes of a picture's file name.
  private static let maxName = 4096

  /// Offers the pictures of the tag at the end of a file.
  static func offer(from input: PictureInput, to choice: inout PictureChoice) throws(PictureFault) {
    // An ID3v1 tag (128 bytes) may follow it.
    for behind in [0, 128] as [Int64] where choice.bytes == nil {
      let end = input.length - behind
      let footer = input.bytes(at: end - Int64(APEFooter.size), count: APEFooter.size)
      guard let tag = APEFooter(footer, endingAt: end) else { continue }
      var items = APEItems(tag, in: input)
      while !choice.isSettled, let item = items.next() {
        let key = item.key.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
        // A file name precedes the picture.
        guard key.has("cover art ("), let value = items.value(atMost: Picture.maxBytes + maxName),
          let name = value.firstIndex(of: 0)
        else { continue }
        try choice.offer(key.has("front", at: 11) ? PictureChoice.frontCover : 0, value[(name + 1)...])
      }
    }
  }
}
