// Finds pictures in Ogg files (RFC 3533): in comments of Vorbis and Opus, or in FLAC metadata blocks. Runs in the
// picture process; no side effects except reads; accepts any bytes.

import MediaFormats
import Platform

/// The header packets of the first stream.
enum OggPictures {
  /// Maximum size of a packet in bytes: a picture in base64, and other comments.
  private static let maxBytes = 16 << 20
  private static let maxPackets = 128

  /// Offers the pictures of an Ogg file.
  static func offer(from input: PictureInput, to choice: inout PictureChoice) throws(PictureFault) {
    var packets = OggPackets(in: input)
    guard let first = try next(&packets) else { return }
    if first.has("\u{7F}FLAC") {
      for _ in 0..<maxPackets where !choice.isSettled {
        guard let block = try next(&packets), let head = block.first else { return }
        if FLACBlockKind(rawValue: head & 0x7F) == .picture, block.count > 4 {
          try choice.offer(block: Array(block[4...]))
        }
        if head & 0x80 != 0 { return }
      }
    } else if first.has("OpusHead"), let second = try next(&packets), second.has("OpusTags") {
      try offer(comments: second[8...], to: &choice)
    } else if first.has("\u{1}vorbis"), let second = try next(&packets), second.has("\u{3}vorbis") {
      try offer(comments: second[7...], to: &choice)
    }
  }

  private static func next(_ packets: inout OggPackets<PictureInput>) throws(PictureFault) -> [UInt8]? {
    switch packets.next(atMost: maxBytes) {
    case .packet(let packet): packet
    case .tooLong: throw .tooLarge
    case .end: nil
    }
  }

  /// Offers the pictures in comments.
  private static func offer(
    comments: ArraySlice<UInt8>, to choice: inout PictureChoice
  ) throws(PictureFault) {
    guard var comments = VorbisComments(comments) else { return }
    while !choice.isSettled, let comment = comments.next() {
      guard let value = VorbisComments.value(of: "METADATA_BLOCK_PICTURE", in: comment),
        let block = Base64.bytes(value)
      else { continue }
      try choice.offer(block: block)
    }
  }
}
