// Finds pictures in WAV and AIFF files, in a chunk with an ID3v2 tag. Runs in the picture process; no side effects
// except reads; accepts any bytes.

import MediaFormats

/// A file that consists of chunks.
enum ChunkedPictures {
  private static let maxChunks = 4096

  /// Offers the pictures of a file.
  ///
  /// - Parameters:
  ///   - input: The file.
  ///   - isBig: Whether numbers are big-endian, as in AIFF.
  ///   - choice: Receives the pictures.
  static func offer(
    from input: PictureInput, isBig: Bool, to choice: inout PictureChoice
  ) throws(PictureFault) {
    var place: Int64 = 12
    for _ in 0..<maxChunks where !choice.isSettled {
      let head = input.bytes(at: place, count: 18)
      guard let size = isBig ? head.big(4) : head.little(4) else { return }
      if head.has("id3 ") || head.has("ID3 "), let tag = ID3Header(head.dropFirst(8)) {
        try ID3Pictures.offer(from: input, tag, at: place + 8, to: &choice)
      }
      // Chunks are aligned to even offsets.
      place += 8 + size + size & 1
    }
  }
}
