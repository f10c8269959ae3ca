// Pictures in WAV and AIFF files: in an ID3v2 tag that is a chunk of its own. Pure but for its input; total.

/// Chunks one behind the other.
enum ChunkedPictures {
  private static let maxChunks = 4096

  /// Offers the pictures of a file; `isBig`: AIFF, whose numbers have the highest byte first.
  static func offer(
    from input: PictureInput, isBig: Bool, to choice: inout PictureChoice
  ) throws(PictureFault) {
    var place: Int64 = 12
    for _ in 0..<maxChunks where !choice.isSettled {
      let head = input.bytes(at: place, 18)
      guard let size = isBig ? head.big(4) : head.little(4) else { return }
      if head.has("id3 ") || head.has("ID3 "), let tag = ID3Pictures(Array(head.dropFirst(8))) {
        try tag.offer(from: input, at: place + 8, to: &choice)
      }
      // A chunk begins at an even place.
      place += 8 + Int64(size) + Int64(size & 1)
    }
  }
}
