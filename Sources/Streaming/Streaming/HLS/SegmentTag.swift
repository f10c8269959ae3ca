// ID3v2 tags before the frames of an HLS segment (RFC 8216, section 3.4): size and title. Pure; fetcher process.

import MediaFormats
import Platform

/// Reads the size and title of an ID3 tag.
enum SegmentTag {
  /// Size in bytes of a tag's header.
  static let header = ID3Header.size
  /// Maximum size in bytes of a tag that is parsed. Longer ones contain pictures and are skipped.
  static let maxLength = 64 << 10
  /// Maximum size in bytes of a title.
  private static let maxTitle = 200

  /// Size of the tag in bytes, header included; nil if the bytes are not a tag header.
  static func size(_ bytes: ArraySlice<UInt8>) -> Int? { ID3Header(bytes).map { Int(clamping: $0.tagSize) } }

  /// The title as `ARTIST - TITLE`, as stations format it; nil if the tag has none.
  static func title(of tag: ArraySlice<UInt8>) -> String? {
    guard let header = ID3Header(tag) else { return nil }
    var frames = ID3Frames(header, at: 0, in: MemorySource(tag))
    var (title, artist) = ("", "")
    while let frame = frames.next() {
      switch frame.id {
      case UInt32(characters: "TIT2"), UInt32(characters: "TT2"):
        title = text(frames.content(atMost: 2 * maxTitle))
      case UInt32(characters: "TPE1"), UInt32(characters: "TP1"):
        artist = text(frames.content(atMost: 2 * maxTitle))
      default: break
      }
    }
    guard !title.utf8.isEmpty else { return nil }
    return artist.utf8.isEmpty ? title : artist + " - " + title
  }

  /// The first text of a frame.
  private static func text(_ content: [UInt8]?) -> String {
    let values = content?.withUnsafeBufferPointer { ID3Text.values($0, atMost: 1) }
    return String(decoding: values?.first ?? [], as: UTF8.self).printable(limit: maxTitle)
  }
}
