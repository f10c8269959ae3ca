// Finds pictures in FLAC files (RFC 9639, section 8). Runs in the picture process; no side effects except reads;
// accepts any bytes.

/// The metadata blocks before the audio.
enum FLACPictures {
  /// Type of a picture block.
  static let pictureBlock: UInt8 = 6
  private static let maxBlocks = 1024

  /// Offers the pictures of a file.
  ///
  /// - Parameters:
  ///   - input: The file.
  ///   - start: Offset of the marker "fLaC".
  ///   - choice: Receives the pictures.
  static func offer(
    from input: PictureInput, at start: Int64, to choice: inout PictureChoice
  ) throws(PictureFault) {
    var place = start + 4
    for _ in 0..<maxBlocks where !choice.isSettled {
      // The picture's type comes first in its block.
      let head = input.bytes(at: place, 8)
      guard head.count >= 4, let length = head.big(1, 3) else { return }
      if head[0] & 0x7F == pictureBlock, let kind = head.big(4), choice.wants(kind) {
        try choice.offer(block: input.bytes(at: place + 4, Int(length)))
      }
      if head[0] & 0x80 != 0 { return }
      place += 4 + length
    }
  }
}
