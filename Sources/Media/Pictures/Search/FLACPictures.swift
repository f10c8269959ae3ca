// Pictures in FLAC files (RFC 9639, 8). Pure but for its input; total.

/// The blocks in front of the sound.
enum FLACPictures {
  /// The number of a block with a picture.
  static let pictureBlock: UInt8 = 6
  private static let maxBlocks = 1024

  /// Offers the pictures of a file whose blocks begin behind `start`, where its name stands.
  static func offer(
    from input: PictureInput, at start: Int64, to choice: inout PictureChoice
  ) throws(PictureFault) {
    var place = start + 4
    for _ in 0..<maxBlocks where !choice.isSettled {
      // The picture's kind stands first in its block.
      let head = input.bytes(at: place, 8)
      guard head.count >= 4, let length = head.big(1, 3) else { return }
      if head[0] & 0x7F == pictureBlock, let kind = head.big(4), choice.wants(kind) {
        try choice.offer(block: input.bytes(at: place + 4, length))
      }
      if head[0] & 0x80 != 0 { return }
      place += 4 + Int64(length)
    }
  }
}
