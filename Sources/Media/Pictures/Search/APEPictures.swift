// Finds pictures in APEv2 tags at the end of WavPack and some MP3 files (wiki.hydrogenaud.io, APEv2). Runs in the
// picture process; no side effects except reads; accepts any bytes.

/// A tag at the end of a file.
enum APEPictures {
  private static let headSize: Int64 = 32
  private static let maxBytes: Int64 = 16 << 20
  private static let maxItems: Int64 = 1024

  /// Offers the pictures of the tag at the end of a file.
  static func offer(from input: PictureInput, to choice: inout PictureChoice) throws(PictureFault) {
    // An ID3v1 tag (128 bytes) may follow it.
    for behind in [0, 128] as [Int64] where choice.bytes == nil {
      let footer = input.bytes(at: input.length - behind - headSize, Int(headSize))
      guard footer.has("APETAGEX"), let size = footer.little(12), let count = footer.little(16),
        (headSize...maxBytes).contains(size)
      else { continue }
      let tag = input.bytes(at: input.length - behind - size, Int(size - headSize))
      try offer(items: tag, count: min(count, maxItems), to: &choice)
    }
  }

  private static func offer(
    items tag: [UInt8], count: Int64, to choice: inout PictureChoice
  ) throws(PictureFault) {
    var place: Int64 = 0
    for _ in 0..<count where !choice.isSettled {
      guard let size = tag.little(place), place + 8 <= Int64(tag.count),
        let end = tag[Int(place + 8)...].firstIndex(of: 0), Int64(tag.count - end - 1) >= size
      else { return }
      let key = tag[Int(place + 8)..<end].map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
      let value = tag[(end + 1)..<(end + 1 + Int(size))]
      place = Int64(value.endIndex)
      // A file name precedes the picture.
      guard key.has("cover art ("), let name = value.firstIndex(of: 0) else { continue }
      try choice.offer(key.has("front", at: 11) ? PictureChoice.frontCover : 0, value[(name + 1)...])
    }
  }
}
