// Parser for cue sheets (command files of CDRWIN, as written by most rippers). Pure; runs in the sandboxed
// worker only.

import PlaybackModel
import Platform

/// Converts a cue sheet to playlist entries.
package enum CueSheet {
  /// Maximum number of tracks of a sheet.
  package static let maximumTracks = 999

  /// Whether trimmed lines are a cue sheet: they contain a TRACK and a later INDEX.
  package static func isOne(_ lines: [ArraySlice<UInt8>]) -> Bool {
    var hasTrack = false
    for line in lines {
      let (word, rest) = word(line)
      if PlaylistParser.isHeader(word, "track"), number(rest) != nil { hasTrack = true }
      if hasTrack, PlaylistParser.isHeader(word, "index"), index(rest) != nil { return true }
    }
    return false
  }

  /// One entry for each track, from its INDEX 01 to that of the next track in the same file.
  ///
  /// The pregap (INDEX 00) plays at the end of the previous track, as on a CD player. Data tracks and empty
  /// tracks are skipped.
  ///
  /// - Parameters:
  ///   - lines: The trimmed lines of the sheet.
  ///   - file: Replaces the file names in an embedded sheet; nil for a separate sheet.
  /// - Returns: The entries in the order of the sheet.
  package static func entries(_ lines: [ArraySlice<UInt8>], of file: String? = nil) -> [PlaylistEntry] {
    var disc = PlaylistEntry(path: file ?? "")
    var tracks: [(entry: PlaylistEntry, start: Int?, isAudio: Bool)] = []
    for line in lines {
      let (word, rest) = word(line)
      func isWord(_ name: StaticString) -> Bool { PlaylistParser.isHeader(word, name) }
      if isWord("file") {
        if file == nil { disc.path = fileName(rest) ?? "" }
      } else if isWord("track") {
        guard tracks.count < maximumTracks else { break }
        var entry = disc
        entry.title = nil
        entry.trackNumber = number(rest).flatMap { (1...maximumTracks).contains($0) ? $0 : nil }
        tracks.append((entry, nil, PlaylistParser.isHeader(self.word(self.word(rest).rest).word, "audio")))
      } else if isWord("title") {
        if tracks.isEmpty {
          disc.album = text(rest)
        } else {
          tracks[tracks.count - 1].entry.title = text(rest)
        }
      } else if isWord("performer") {
        if tracks.isEmpty {
          disc.artist = text(rest)
          disc.albumArtist = disc.artist
        } else {
          tracks[tracks.count - 1].entry.artist = text(rest)
        }
      } else if isWord("rem"), tracks.isEmpty {
        // Comments that rippers use for metadata.
        let (name, value) = self.word(rest)
        if PlaylistParser.isHeader(name, "date") { disc.date = text(value) }
        if PlaylistParser.isHeader(name, "genre") { disc.genre = text(value) }
      } else if isWord("index"), let last = tracks.indices.last, tracks[last].start == nil,
        case (1, let start)? = index(rest)
      {
        tracks[last].start = start
        // A track may begin in another file than its pregap.
        tracks[last].entry.path = disc.path
      }
    }
    return placed(tracks)
  }

  private static func placed(
    _ tracks: [(entry: PlaylistEntry, start: Int?, isAudio: Bool)]
  ) -> [PlaylistEntry] {
    var entries: [PlaylistEntry] = []
    for (n, track) in tracks.enumerated() {
      guard track.isAudio, let start = track.start, !track.entry.path.utf8.isEmpty else { continue }
      let next = tracks[(n + 1)...].first { $0.start != nil }
      let end = next.flatMap { $0.entry.path == track.entry.path ? $0.start : nil }
      guard let section = FileSection(start: start, end: end) else { continue }
      var entry = track.entry
      entry.section = section
      entries.append(entry)
    }
    return entries
  }

  // MARK: Lines

  /// Splits a line into its first word and the rest.
  private static func word(_ line: ArraySlice<UInt8>) -> (word: ArraySlice<UInt8>, rest: ArraySlice<UInt8>) {
    let word = line.prefix { $0 != 0x20 && $0 != 0x09 }
    return (word, PlaylistParser.trimmed(line[word.endIndex...]))
  }

  /// The text between the first and the last quote, since some rippers do not escape quotes within; all of it if it is
  /// unquoted.
  private static func unquoted(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard text.first == 0x22 else { return text }
    let rest = text.dropFirst()
    return rest[..<(rest.lastIndex(of: 0x22) ?? rest.endIndex)]
  }

  private static func text(_ rest: ArraySlice<UInt8>) -> String? {
    guard let text = PlaylistParser.entry(unquoted(rest)) else { return nil }
    let shown = text.printable(limit: PlaylistEntry.maxText)
    return shown.utf8.isEmpty ? nil : shown
  }

  /// Parses `"NAME" TYPE`. An unquoted name ends at the last blank.
  private static func fileName(_ rest: ArraySlice<UInt8>) -> String? {
    guard rest.first != 0x22 else { return PlaylistParser.entry(unquoted(rest)) }
    guard let blank = rest.lastIndex(where: { $0 == 0x20 || $0 == 0x09 }) else {
      return PlaylistParser.entry(rest)
    }
    return PlaylistParser.entry(PlaylistParser.trimmed(rest[..<blank]))
  }

  /// Parses the leading digits of a text, at most six.
  private static func number(_ text: ArraySlice<UInt8>) -> Int? {
    let digits = text.prefix { $0 >= 0x30 && $0 <= 0x39 }
    guard !digits.isEmpty, digits.count <= 6 else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  /// Parses `NN MM:SS:FF` to an index number and a time in 1/75 s.
  private static func index(_ rest: ArraySlice<UInt8>) -> (number: Int, start: Int)? {
    guard let number = number(rest) else { return nil }
    let parts = word(rest).rest.split(separator: 0x3A, omittingEmptySubsequences: false)
    guard parts.count == 3, let minutes = self.number(parts[0]), let seconds = self.number(parts[1]),
      let frames = self.number(parts[2]), minutes < 100_000, seconds < 60, frames < 75
    else { return nil }
    return (number, (minutes * 60 + seconds) * 75 + frames)
  }
}
