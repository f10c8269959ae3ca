// Finds pictures in MP4 files: the box `covr` in moov/udta/meta/ilst, as written by iTunes and others (ISO/IEC
// 14496-12, 4.2). Runs in the picture process; no side effects except reads; accepts any bytes.

import MediaFormats

/// The box structure of an MP4 file.
enum MP4Pictures {
  /// Offers the picture of an MP4 file.
  static func offer(from input: PictureInput, to choice: inout PictureChoice) throws(PictureFault) {
    guard let movie = child("moov", from: 0, to: input.length, input),
      let user = child("udta", from: movie.start, to: movie.end, input),
      let meta = child("meta", from: user.start, to: user.end, input)
    else { return }
    // QuickTime's `meta` has no version and flags, and starts with a box.
    let isBare = input.bytes(at: meta.start, count: 8).has("hdlr", at: 4)
    guard let list = child("ilst", from: meta.start + (isBare ? 0 : 4), to: meta.end, input),
      let cover = child("covr", from: list.start, to: list.end, input),
      let data = child("data", from: cover.start, to: cover.end, input)
    else { return }
    // After the type and locale fields.
    let start = data.start + 8
    guard start < data.end else { return }
    guard data.end - start <= Int64(Picture.maxBytes) else { throw .tooLarge }
    try choice.offer(0, input.bytes(at: start, count: Int(data.end - start))[...])
  }

  /// The first box of a kind in a range.
  private static func child(
    _ name: StaticString, from start: Int64, to end: Int64, _ input: PictureInput
  ) -> MP4Box? {
    var boxes = MP4Boxes(in: input, from: start, to: end)
    let kind = UInt32(characters: name)
    while case .box(let box) = boxes.next() {
      if box.kind == kind { return box }
    }
    return nil
  }
}
