// Parser for M3U and PLS playlists, which passes cue sheets, XSPF and ASX to their parsers. Pure; runs in the
// sandboxed worker only, because playlists are untrusted.

import Platform

/// Parses a playlist to its entries.
package enum PlaylistParser {
  /// Maximum size of a playlist in bytes.
  package static let maximumBytes = 1 << 20
  /// One more than are returned, to detect that there are more.
  static let countedEntries = PlaylistContents.maxCount + 1
  /// Maximum size of an entry in bytes. Longer lines are not paths.
  package static let maximumEntry = 3072

  /// Whether bytes are text in UTF-8 or an 8-bit encoding. Prevents binary data from being listed as tracks.
  package static func isText(_ bytes: [UInt8]) -> Bool {
    var controls = 0
    for byte in bytes where byte < 0x20 {
      if byte == 0 { return false }
      if byte != 0x09, byte != 0x0A, byte != 0x0D { controls += 1 }
    }
    // Some old editors end a text with a control character (0x1A).
    return controls <= 1 + bytes.count / 100
  }

  /// Whether a text is XSPF or ASX.
  package static func isMarkup(_ text: ArraySlice<UInt8>) -> Bool { XSPF.isOne(text) || ASX.isOne(text) }

  /// The entries of a playlist, and whether there are more.
  ///
  /// - Parameters:
  ///   - text: The playlist, as `PlaylistText` converts it.
  ///   - isCut: Whether the file continues after the text.
  ///   - xml: The parser of XSPF, or why there is none.
  /// - Throws: `malformed` for XSPF with an error before its first track, and the failure of `xml` if it is needed.
  static func contents(
    _ text: [UInt8], isCut: Bool, xml: Result<XMLLibrary, PlaylistFailure>
  ) throws(PlaylistFailure) -> PlaylistContents {
    var text = text[...]
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
    let found: [PlaylistEntry]
    if XSPF.isOne(text) {
      found = try XSPF.entries(text, isCut: isCut, by: try xml.get())
    } else {
      // Drops a partial line at the end, which would be a wrong path.
      if isCut, let end = text.lastIndex(where: { $0 == 0x0A || $0 == 0x0D }) { text = text[...end] }
      found = counted(text)
    }
    return PlaylistContents(
      Array(found.prefix(PlaylistContents.maxCount)),
      isCut: isCut || found.count > PlaylistContents.maxCount)
  }

  private static func counted(_ text: ArraySlice<UInt8>) -> [PlaylistEntry] {
    if ASX.isOne(text) { return ASX.entries(text) }
    let lines = text.split { $0 == 0x0A || $0 == 0x0D }.map(trimmed)
    if CueSheet.isOne(lines) { return CueSheet.entries(lines) }
    let found: [String]
    if lines.first.map({ isHeader($0, "[playlist]") }) ?? false {
      found = numbered(lines, "file")
    } else if lines.first.map({ isHeader($0, "[reference]") }) ?? false {
      found = numbered(lines, "ref")
    } else {
      found = m3u(lines)
    }
    return found.map { PlaylistEntry(path: $0) }
  }

  /// One path per line. Lines that begin with # are comments or directives of Extended M3U (RFC 8216, section
  /// 4).
  private static func m3u(_ lines: [ArraySlice<UInt8>]) -> [String] {
    var entries: [String] = []
    for line in lines where line.first != 0x23 && entries.count < countedEntries {
      if let entry = entry(line) { entries.append(entry) }
    }
    return entries
  }

  /// Lines `FileN=PATH` of PLS, or `RefN=URL` of the oldest ASX, in the order of N.
  private static func numbered(_ lines: [ArraySlice<UInt8>], _ name: StaticString) -> [String] {
    let length = name.utf8CodeUnitCount
    var numbered: [(number: Int, path: String)] = []
    for line in lines where numbered.count < countedEntries {
      guard isHeader(line.prefix(length), name), let equals = line.firstIndex(of: 0x3D) else { continue }
      var number = 0
      var isNumber = equals > line.startIndex + length
      for byte in isNumber ? line[(line.startIndex + length)..<equals] : [] {
        guard byte >= 0x30, byte <= 0x39, number < 1_000_000 else {
          isNumber = false
          break
        }
        number = number * 10 + Int(byte - 0x30)
      }
      guard isNumber, let path = entry(trimmed(line[(equals + 1)...])) else { continue }
      numbered.append((number, path))
    }
    return numbered.sorted { $0.number < $1.number }.map { $0.path }
  }

  /// Whether a text is an ASCII word, in any case.
  ///
  /// - Parameters:
  ///   - line: The text.
  ///   - wanted: The word in lower case.
  package static func isHeader(_ line: ArraySlice<UInt8>, _ wanted: StaticString) -> Bool {
    guard line.count == wanted.utf8CodeUnitCount else { return false }
    var i = 0
    for byte in line {
      if byte.asciiLowercased != wanted.utf8Start[i] { return false }
      i += 1
    }
    return true
  }

  /// The line without blanks and tabs at both ends.
  package static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var line = line
    while let first = line.first, first == 0x20 || first == 0x09 { line.removeFirst() }
    while let last = line.last, last == 0x20 || last == 0x09 { line.removeLast() }
    return line
  }

  /// Decodes a line as UTF-8 if it is valid, else as Latin-1, which old M3U files use.
  static func entry(_ line: ArraySlice<UInt8>) -> String? {
    guard !line.isEmpty, line.count <= maximumEntry, !line.contains(0) else { return nil }
    if let text = String(validating: line, as: UTF8.self) { return text }
    var scalars = String.UnicodeScalarView()
    for byte in line { scalars.append(Unicode.Scalar(byte)) }
    let text = String(scalars)
    return text.utf8.count <= maximumEntry ? text : nil
  }
}
