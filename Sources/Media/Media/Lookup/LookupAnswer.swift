// Answers of a look-up process, encoded as NUL-terminated fields, since names cannot contain NUL. Any thread.

import PlaybackModel
import Platform

/// An answer to a `LookupQuestion`.
package enum LookupAnswer: HelperAnswer {
  /// The path; nil if it does not exist.
  case place(String?)
  case tracks(ExpandedMedia)
  case entries([DirectoryEntry])
  case match(NameMatch)
  /// The error of an expansion.
  case refused(PlaybackError)
  /// The errno of a folder that cannot be read.
  case unreadable(Int32)

  package var bytes: [UInt8] {
    var fields = FieldWriter()
    switch self {
    case .place(let path):
      fields.put("place")
      fields.put(path ?? "")
    case .tracks(let found):
      fields.put("tracks")
      fields.put(found.note ?? "")
      for track in found.tracks { fields.put(track) }
    case .entries(let entries):
      fields.put("entries")
      for entry in entries {
        // Names contain no slash, so that the slash ends the time.
        fields.put(
          (entry.isDirectory ? "/" : "-") + (entry.modified.map { String($0) } ?? "") + "/" + entry.name)
      }
    case .match(let match):
      fields.put("match")
      switch match {
      case .there: fields.put("there", "")
      case .alike(let path): fields.put("alike", path)
      case .away: fields.put("away", "")
      case .outside: fields.put("outside", "")
      case .missing(let suggestion): fields.put("missing", suggestion ?? "")
      }
    case .refused(let error):
      fields.put("refused")
      fields.put(String(error.kind.rawValue))
      fields.put(error.detail)
      fields.put(error.path)
    case .unreadable(let code):
      fields.put("unreadable")
      fields.put(String(code))
    }
    // Distinguishes a complete answer from a truncated one.
    fields.put("end")
    return fields.bytes
  }

  /// Decodes an answer; nil if it is invalid or truncated.
  package init?(_ bytes: [UInt8]) {
    var fields = FieldReader(bytes)
    guard let kind = fields.next() else { return nil }
    switch kind {
    case "place":
      guard let path = fields.next() else { return nil }
      self = .place(path.utf8.isEmpty ? nil : path)
    case "tracks":
      guard let note = fields.next() else { return nil }
      var tracks: [Track] = []
      while fields.left > 1 {
        guard let track = fields.track() else { return nil }
        tracks.append(track)
      }
      self = .tracks(ExpandedMedia(tracks, note: note.utf8.isEmpty ? nil : note))
    case "entries":
      var entries: [DirectoryEntry] = []
      while fields.left > 1, let text = fields.next() {
        guard let entry = DirectoryEntry(field: text) else { return nil }
        entries.append(entry)
      }
      self = .entries(entries)
    case "match":
      guard let match = fields.match() else { return nil }
      self = .match(match)
    case "refused":
      guard let number = fields.next().flatMap({ UInt8($0) }),
        let kind = PlaybackError.Kind(rawValue: number),
        let detail = fields.next(), let path = fields.next()
      else { return nil }
      self = .refused(PlaybackError(kind, path: path, detail: detail))
    case "unreadable":
      guard let code = fields.next().flatMap({ Int32($0) }) else { return nil }
      self = .unreadable(code)
    default: return nil
    }
    guard fields.left == 1, fields.next() == "end" else { return nil }
  }
}

extension DirectoryEntry {
  /// Decodes an entry; nil if it is invalid.
  fileprivate init?(field text: String) {
    let bytes = Array(text.utf8)
    guard let slash = bytes.dropFirst().firstIndex(of: 0x2F) else { return nil }
    self.init(
      name: String(decoding: bytes[(slash + 1)...], as: UTF8.self), isDirectory: bytes[0] == 0x2F,
      modified: Int64(String(decoding: bytes[1..<slash], as: UTF8.self)))
  }
}

extension FieldWriter {
  fileprivate mutating func put(_ one: String, _ other: String) {
    put(one)
    put(other)
  }

  fileprivate mutating func put(_ track: Track) {
    put(track.path)
    put(track.section.map { String($0.start) } ?? "")
    put(track.section?.end.map { String($0) } ?? "")
    put(track.trackNumber.map { String($0) } ?? "")
    for text in [track.title, track.artist, track.album] { put(text ?? "") }
  }
}

extension FieldReader {
  fileprivate mutating func match() -> NameMatch? {
    guard let kind = next(), let path = next() else { return nil }
    switch kind {
    case "there": return .there
    case "alike" where !path.utf8.isEmpty: return .alike(path)
    case "away": return .away
    case "outside": return .outside
    case "missing": return .missing(suggestion: path.utf8.isEmpty ? nil : path)
    default: return nil
    }
  }

  fileprivate mutating func track() -> Track? {
    guard let path = next(), let start = next(), let end = next(), let number = next(), let title = next(),
      let artist = next(), let album = next(), !path.utf8.isEmpty
    else { return nil }
    var section: FileSection?
    if !start.utf8.isEmpty {
      guard let first = Int(start), let found = FileSection(start: first, end: Int(end)) else { return nil }
      section = found
    }
    func known(_ text: String) -> String? { text.utf8.isEmpty ? nil : text }
    return Track(
      id: 0, path: path, section: section, title: known(title), artist: known(artist), album: known(album),
      trackNumber: Int(number))
  }
}
