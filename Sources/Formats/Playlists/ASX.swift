// Parser for ASX playlists (Advanced Stream Redirector), limited to the markup that they need. Pure; runs in
// the sandboxed worker only.

import Platform

/// Playlists of the form `<asx …><entry><ref href="URL"/></entry></asx>`, case-insensitive.
enum ASX {
  /// Whether a text is an ASX playlist.
  static func isOne(_ text: ArraySlice<UInt8>) -> Bool {
    let begin = text.drop { $0 <= 0x20 }.prefix(5)
    return PlaylistParser.isHeader(begin.prefix(4), "<asx")
      && begin.dropFirst(4).allSatisfy { $0 == 0x3E || $0 <= 0x20 }
  }

  /// The references of all entries, in order.
  static func entries(_ text: ArraySlice<UInt8>) -> [PlaylistEntry] {
    var entries: [PlaylistEntry] = []
    var rest = text
    while entries.count < PlaylistParser.countedEntries, let begin = rest.firstIndex(of: 0x3C) {
      rest = rest[(begin + 1)...]
      let tag = rest[..<(rest.firstIndex(of: 0x3E) ?? rest.endIndex)]
      guard ["ref", "entryref"].contains(where: { isNamed(tag, $0) }), let value = reference(in: tag),
        let path = PlaylistParser.entry(PlaylistParser.trimmed(CharacterReference.decoded(value)[...]))
      else { continue }
      entries.append(PlaylistEntry(path: path))
    }
    return entries
  }

  private static func isNamed(_ tag: ArraySlice<UInt8>, _ name: StaticString) -> Bool {
    let count = name.utf8CodeUnitCount
    guard tag.count > count, tag[tag.startIndex + count] <= 0x20 else { return false }
    return PlaylistParser.isHeader(tag.prefix(count), name)
  }

  /// The value of the attribute `href`, unquoted or in single or double quotes.
  private static func reference(in tag: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var rest = tag
    while rest.count > 4 {
      defer { rest = rest.dropFirst() }
      guard PlaylistParser.isHeader(rest.prefix(4), "href") else { continue }
      let value = rest.dropFirst(4).drop { $0 <= 0x20 }
      guard value.first == 0x3D else { continue }
      let text = value.dropFirst().drop { $0 <= 0x20 }
      guard let quote = text.first, quote == 0x22 || quote == 0x27 else { return text.prefix { $0 > 0x20 } }
      return text.dropFirst().prefix { $0 != quote }
    }
    return nil
  }
}
