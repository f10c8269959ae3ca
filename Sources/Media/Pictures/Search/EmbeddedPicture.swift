// Finds the picture in a media file, by content and not by name. Runs in the picture process inside its sandbox; no
// side effects except reads; accepts any bytes.

import MediaFormats

/// Embedded pictures of audio files.
enum EmbeddedPicture {
  /// The front cover, otherwise the first picture; nil if there is none.
  ///
  /// - Throws: `PictureFault` if the picture is too large.
  static func find(in input: PictureInput) throws(PictureFault) -> [UInt8]? {
    var choice = PictureChoice()
    var start: Int64 = 0
    if let tag = ID3Header(input.bytes(at: 0, count: ID3Header.size)) {
      try ID3Pictures.offer(from: input, tag, at: 0, to: &choice)
      start = tag.tagSize
    }
    let head = input.bytes(at: start, count: 12)
    if head.has("fLaC") {
      try FLACPictures.offer(from: input, at: start, to: &choice)
    } else if head.has("OggS"), start == 0 {
      try OggPictures.offer(from: input, to: &choice)
    } else if head.has("ftyp", at: 4) {
      try MP4Pictures.offer(from: input, to: &choice)
    } else if head.has("RIFF") || head.has("RF64") {
      try ChunkedPictures.offer(from: input, isBig: false, to: &choice)
    } else if head.has("FORM") {
      try ChunkedPictures.offer(from: input, isBig: true, to: &choice)
    }
    if choice.bytes == nil { try APEPictures.offer(from: input, to: &choice) }
    return choice.bytes
  }
}
