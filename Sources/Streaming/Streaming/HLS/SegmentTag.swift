// Parser for ID3v2 tags before the frames of an HLS segment (RFC 8216, section 3.4): size and title. Pure;
// fetcher process.

import Platform

/// Reads the size and title of an ID3 tag.
enum SegmentTag {
  static let mark: [UInt8] = [0x49, 0x44, 0x33]
  static let header = 10
  /// Maximum size in bytes of a tag that is parsed. Longer ones contain pictures and are skipped.
  static let maxLength = 64 << 10

  /// Size of the tag in bytes, header included; nil if the bytes are not a tag header.
  static func size(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.count >= header, bytes.starts(with: mark) else { return nil }
    let start = bytes.startIndex
    guard let size = syncSafe(bytes[(start + 6)..<(start + 10)]) else { return nil }
    return header + size + (bytes[start + 5] & 0x10 != 0 ? header : 0)
  }

  /// The title as `ARTIST - TITLE`, as stations format it; nil if the tag has none.
  static func title(of tag: ArraySlice<UInt8>) -> String? {
    let start = tag.startIndex
    // Tags with unsynchronisation or an extended header are rare and contain no station titles.
    guard tag.count > header, tag[start + 3] == 3 || tag[start + 3] == 4, tag[start + 5] & 0xC0 == 0 else {
      return nil
    }
    let isNew = tag[start + 3] == 4
    var frames = tag.dropFirst(header)
    var (title, artist) = ("", "")
    while frames.count > 10, let first = frames.first, first != 0 {
      let at = frames.startIndex
      let field = frames[(at + 4)..<(at + 8)]
      guard let size = isNew ? syncSafe(field) : plain(field), size >= 0, size <= frames.count - 10
      else { break }
      let content = frames[(at + 10)..<(at + 10 + size)]
      if frames.starts(with: "TIT2".utf8) { title = text(content) }
      if frames.starts(with: "TPE1".utf8) { artist = text(content) }
      frames = frames.dropFirst(10 + size)
    }
    guard !title.utf8.isEmpty else { return nil }
    return artist.utf8.isEmpty ? title : artist + " - " + title
  }

  private static func syncSafe(_ bytes: ArraySlice<UInt8>) -> Int? {
    var value = 0
    for byte in bytes {
      guard byte < 0x80 else { return nil }
      value = value << 7 | Int(byte)
    }
    return value
  }

  private static func plain(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

  /// Decodes a text in one of four encodings, up to the first terminator.
  private static func text(_ content: ArraySlice<UInt8>) -> String {
    guard let encoding = content.first else { return "" }
    let bytes = content.dropFirst()
    switch encoding {
    case 0:
      var text = ""
      for byte in bytes.prefix(while: { $0 != 0 }).prefix(200) {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      }
      return text.printable(limit: 200)
    case 3: return String(decoding: bytes.prefix { $0 != 0 }.prefix(200), as: UTF8.self).printable(limit: 200)
    default: return wide(Array(bytes), isBig: encoding == 2)
    }
  }

  private static func wide(_ bytes: [UInt8], isBig: Bool) -> String {
    var isBig = isBig
    var units: [UInt16] = []
    var place = 0
    while place + 1 < bytes.count, units.count < 200 {
      let unit =
        isBig
        ? UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1])
        : UInt16(bytes[place + 1]) << 8 | UInt16(bytes[place])
      place += 2
      if unit == 0xFFFE, units.isEmpty {
        isBig.toggle()
      } else if unit == 0 {
        break
      } else if unit != 0xFEFF {
        units.append(unit)
      }
    }
    return String(decoding: units, as: UTF16.self).printable(limit: 200)
  }
}
