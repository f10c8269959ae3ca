// Reads m3u, m3u8 and pls playlists, and hands on cue sheets and xspf. Pure; runs in the sandboxed worker only: a
// playlist is as little trusted as a media file.

import Platform

/// The entries of a playlist, as they stand in it.
enum PlaylistParser {
  /// Bytes of a playlist that are looked at.
  static let maximumBytes = 1 << 20
  /// Entries of a playlist.
  static let maximumEntries = PlaylistContents.maxCount
  /// One more than are taken, which shows that there are more.
  static let countedEntries = maximumEntries + 1
  /// Bytes of one entry. Longer lines are no paths.
  static let maximumEntry = 3072

  /// Whether these are the bytes of a text in UTF-8 or Latin-1. Whatever else has the name of a playlist would be a track
  /// that is not there for each of its lines.
  static func isText(_ bytes: [UInt8]) -> Bool {
    var controls = 0
    for byte in bytes where byte < 0x20 {
      if byte == 0 { return false }
      if byte != 0x09, byte != 0x0A, byte != 0x0D { controls += 1 }
    }
    // Editors of old end a text with a control character.
    return controls <= 1 + bytes.count / 100
  }

  /// The paths or URIs in the order in which they are to be played, `maximumEntries` at most. Lines that mean nothing are passed over.
  static func entries(_ bytes: [UInt8]) -> [PlaylistEntry] { contents(bytes).entries }

  /// The entries of a playlist's first `maximumBytes`, and whether it has more.
  static func contents(_ bytes: [UInt8]) -> PlaylistContents {
    guard bytes.count > maximumBytes else {
      let found = counted(bytes)
      return PlaylistContents(Array(found.prefix(maximumEntries)), isCut: found.count > maximumEntries)
    }
    var whole = bytes.prefix(maximumBytes)
    // A line that is cut off is another path.
    if let end = whole.lastIndex(where: { $0 == 0x0A || $0 == 0x0D }) { whole = whole[...end] }
    return PlaylistContents(Array(counted(Array(whole)).prefix(maximumEntries)), isCut: true)
  }

  private static func counted(_ bytes: [UInt8]) -> [PlaylistEntry] {
    var text = bytes[...]
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
    if XSPF.isOne(text) { return XSPF.entries(text) }
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

  /// One path a line; what begins with # is a comment or a directive of Extended M3U (RFC 8216, section 4).
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

  static func isHeader(_ line: ArraySlice<UInt8>, _ wanted: StaticString) -> Bool {
    guard line.count == wanted.utf8CodeUnitCount else { return false }
    var i = 0
    for byte in line {
      if byte.asciiLowercased != wanted.utf8Start[i] { return false }
      i += 1
    }
    return true
  }

  static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var line = line
    while let first = line.first, first == 0x20 || first == 0x09 { line.removeFirst() }
    while let last = line.last, last == 0x20 || last == 0x09 { line.removeLast() }
    return line
  }

  /// UTF-8 where it is that, otherwise Latin-1, in which old m3u files are written.
  static func entry(_ line: ArraySlice<UInt8>) -> String? {
    guard !line.isEmpty, line.count <= maximumEntry, !line.contains(0) else { return nil }
    if let text = String(validating: line, as: UTF8.self) { return text }
    var scalars = String.UnicodeScalarView()
    for byte in line { scalars.append(Unicode.Scalar(byte)) }
    let text = String(scalars)
    return text.utf8.count <= maximumEntry ? text : nil
  }
}
