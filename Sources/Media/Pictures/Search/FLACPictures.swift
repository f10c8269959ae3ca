// Finds pictures in FLAC files (RFC 9639, section 8). Runs in the picture process; no side effects except reads;
// accepts any bytes.

import MediaFormats

/// The metadata blocks before the audio.
enum FLACPictures {
  /// Maximum size of a block in bytes: a picture, its media type and its description.
  private static let maxBlock = Int64(Picture.maxBytes) + 64 << 10

  /// Offers the pictures of a file.
  ///
  /// - Parameters:
  ///   - input: The file.
  ///   - start: Offset of the marker "fLaC".
  ///   - choice: Receives the pictures.
  static func offer(
    from input: PictureInput, at start: Int64, to choice: inout PictureChoice
  ) throws(PictureFault) {
    var blocks = FLACBlocks(in: input, from: start + 4)
    while !choice.isSettled, let block = blocks.next() {
      // The picture's type comes first in its block.
      guard block.kind == .picture, let kind = input.bytes(at: block.start, count: 4).big(0),
        choice.wants(kind)
      else { continue }
      guard block.size <= maxBlock else { throw .tooLarge }
      try choice.offer(block: input.bytes(at: block.start, count: Int(block.size)))
    }
  }
}
