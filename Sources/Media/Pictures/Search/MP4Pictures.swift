// Finds pictures in MP4 files: the box `covr` in moov/udta/meta/ilst, as written by iTunes and others (ISO/IEC
// 14496-12, 4.2). Runs in the picture process; no side effects except reads; accepts any bytes.

/// The box structure of an MP4 file.
enum MP4Pictures {
  private static let maxBoxes = 16_384

  private struct Box {
    /// Offset of the contents; `end` is the offset after them.
    let start: Int64
    let end: Int64
  }

  /// Offers the picture of an MP4 file.
  static func offer(from input: PictureInput, to choice: inout PictureChoice) throws(PictureFault) {
    let file = Box(start: 0, end: input.length)
    guard let movie = child("moov", of: file, input), let user = child("udta", of: movie, input),
      let meta = child("meta", of: user, input)
    else { return }
    // QuickTime's `meta` has no version and flags, and starts with a box.
    let isBare = input.bytes(at: meta.start, 8).has("hdlr", at: 4)
    let inner = Box(start: meta.start + (isBare ? 0 : 4), end: meta.end)
    guard let list = child("ilst", of: inner, input), let cover = child("covr", of: list, input),
      let data = child("data", of: cover, input)
    else { return }
    // After the type and locale fields.
    let start = data.start + 8
    guard start < data.end else { return }
    guard data.end - start <= Int64(Picture.maxBytes) else { throw .tooLarge }
    try choice.offer(0, input.bytes(at: start, Int(data.end - start))[...])
  }

  /// The first box of a type within a box.
  private static func child(_ kind: StaticString, of parent: Box, _ input: PictureInput) -> Box? {
    var place = parent.start
    for _ in 0..<maxBoxes {
      guard parent.end - place >= 8 else { return nil }
      let head = input.bytes(at: place, 16)
      guard let short = head.big(0) else { return nil }
      var (size, headSize) = (short, Int64(8))
      if short == 1 {
        guard head.count == 16, head[8] < 0x40, let long = head.big(8, 8) else { return nil }
        (size, headSize) = (long, 16)
      } else if short == 0 {
        size = parent.end - place
      }
      guard size >= headSize else { return nil }
      // In a truncated file, the last box extends beyond the end.
      if head.has(kind, at: 4), place + headSize <= parent.end {
        return Box(start: place + headSize, end: min(parent.end, place + size))
      }
      place += size
    }
    return nil
  }
}
