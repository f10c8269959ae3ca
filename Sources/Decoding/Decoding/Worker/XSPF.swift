// Parser for XSPF playlists (XML Shareable Playlist Format, version 1), limited to the XML that they need.
// Pure; runs in the sandboxed worker only.

import Platform

/// Playlists of the form `<playlist>…<track><location>URI</location>…`.
enum XSPF {
  /// Whether a text is XSPF: optional XML declaration and comments, then `<playlist`.
  static func isOne(_ text: ArraySlice<UInt8>) -> Bool {
    var rest = text.drop { $0 <= 0x20 }
    while true {
      if starts(rest, "<playlist") { return true }
      guard let end = markupEnd(rest) else { return false }
      rest = rest[end...].drop { $0 <= 0x20 }
    }
  }

  /// The index after a leading XML declaration or comment; nil if there is none.
  private static func markupEnd(_ text: ArraySlice<UInt8>) -> Int? {
    if starts(text, "<!--") { return find("-->", in: text).map { $0 + 3 } }
    if starts(text, "<?") { return find("?>", in: text).map { $0 + 2 } }
    return nil
  }

  /// The first location of each track, in order, with title and creator.
  static func entries(_ text: ArraySlice<UInt8>) -> [PlaylistEntry] {
    var entries: [PlaylistEntry] = []
    var rest = text
    while entries.count < PlaylistParser.countedEntries, let begin = find("<track", in: rest) {
      rest = rest[(begin + 6)...]
      // Excludes `<trackList>`.
      guard let next = rest.first, next == 0x3E || next <= 0x20 else { continue }
      let track = rest[..<(find("</track>", in: rest) ?? rest.endIndex)]
      rest = rest[track.endIndex...]
      guard let location = element("location", of: track),
        let path = PlaylistParser.entry(trimmed(unescaped(location)))
      else { continue }
      var entry = PlaylistEntry(path: relativeDecoded(path))
      guard !entry.path.utf8.isEmpty, entry.path.utf8.count <= PlaylistParser.maximumEntry else { continue }
      entry.title = words("title", of: track)
      entry.artist = words("creator", of: track)
      entries.append(entry)
    }
    return entries
  }

  /// The bytes between `<name…>` and `</name>`, of the first such element.
  private static func element(_ name: StaticString, of text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    var rest = text
    while let open = rest.firstIndex(of: 0x3C) {
      rest = rest[(open + 1)...]
      if starts(rest, "!--") {
        guard let end = find("-->", in: rest) else { return nil }
        rest = rest[(end + 3)...]
        continue
      }
      guard rest.starts(with: name), let next = rest.dropFirst(name.count).first,
        next == 0x3E || next <= 0x20,
        let begin = rest.firstIndex(of: 0x3E)
      else { continue }
      let body = rest[(begin + 1)...]
      // CDATA may contain the character `<`.
      let isQuoted = starts(body, "<![CDATA[")
      guard let end = isQuoted ? find("]]>", in: body) : body.firstIndex(of: 0x3C) else { return nil }
      return body[..<end]
    }
    return nil
  }

  private static func words(_ name: StaticString, of track: ArraySlice<UInt8>) -> String? {
    guard let text = element(name, of: track) else { return nil }
    let words = String(decoding: trimmed(unescaped(text)), as: UTF8.self)
      .printable(limit: Limits.text - 1)
    return words.utf8.isEmpty ? nil : words
  }

  /// Decodes the percent escapes of a location without a scheme, which is a file name.
  private static func relativeDecoded(_ location: String) -> String {
    if location.utf8.contains(0x3A) { return location }
    let bytes = Array(location.utf8)
    var decoded: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == 0x25, index + 2 < bytes.count, let high = digit(bytes[index + 1]),
        let low = digit(bytes[index + 2]), high + low > 0
      {
        decoded.append(high << 4 | low)
        index += 3
      } else {
        decoded.append(bytes[index])
        index += 1
      }
    }
    return String(validating: decoded, as: UTF8.self) ?? location
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }

  /// Removes the CDATA markup, or resolves predefined and numeric character entities.
  static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
    if starts(text, "<![CDATA[") { return Array(text.dropFirst(9)) }
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.first {
      rest = rest.dropFirst()
      guard byte == 0x26, let end = rest.prefix(10).firstIndex(of: 0x3B), let found = entity(rest[..<end])
      else {
        bytes.append(byte)
        continue
      }
      bytes += found
      rest = rest[(end + 1)...]
    }
    return bytes
  }

  private static func entity(_ name: ArraySlice<UInt8>) -> [UInt8]? {
    let names: [(StaticString, UInt8)] = [
      ("amp", 0x26), ("lt", 0x3C), ("gt", 0x3E), ("quot", 0x22), ("apos", 0x27),
    ]
    if let known = names.first(where: { name.count == $0.0.utf8CodeUnitCount && starts(name, $0.0) }) {
      return [known.1]
    }
    guard name.first == 0x23 else { return nil }
    let isHexadecimal = name.dropFirst().first == 0x78
    var number: UInt32 = 0
    for byte in name.dropFirst(isHexadecimal ? 2 : 1) {
      guard let value = digit(byte), isHexadecimal || value < 10, number < 0x110000 else { return nil }
      number = number * (isHexadecimal ? 16 : 10) + UInt32(value)
    }
    guard number >= 0x20, let scalar = Unicode.Scalar(number) else { return nil }
    return Array(String(Character(scalar)).utf8)
  }

  private static func trimmed(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    var bytes = bytes.drop { $0 <= 0x20 }
    while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
    return bytes
  }

  private static func starts(_ text: ArraySlice<UInt8>, _ word: StaticString) -> Bool {
    text.starts(with: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
  }

  private static func find(_ word: StaticString, in text: ArraySlice<UInt8>) -> Int? {
    let word = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    var rest = text
    while let place = rest.firstIndex(of: word[0]) {
      if rest[place...].starts(with: word) { return place }
      rest = rest[(place + 1)...]
    }
    return nil
  }
}
