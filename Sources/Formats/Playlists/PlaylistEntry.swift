// One entry of a playlist or cue sheet, and its encoding in a message. Values; parsed in the worker, used on the
// control thread.

import PlaybackModel
import Platform

/// A playlist's entry: a file or URL, or a section of a file with the metadata that a cue sheet gives.
package struct PlaylistEntry: Hashable, Sendable {
  /// Maximum size of each text but the path in bytes.
  package static let maxText = 255

  /// The path or URI as written in the playlist.
  package var path: String
  /// The section of the file; nil for the whole file. Only entries of cue sheets have one.
  package var section: FileSection?
  /// Track number from 1; nil if unknown.
  package var trackNumber: Int?
  /// Track title; nil if unknown.
  package var title: String?
  /// Track artist; nil if unknown.
  package var artist: String?
  /// Album title; nil if unknown.
  package var album: String?
  /// Album performer; nil if unknown.
  package var albumArtist: String?
  /// Release date of the album; nil if unknown.
  package var date: String?
  /// Genre of the album; nil if unknown.
  package var genre: String?

  /// Creates an entry without metadata.
  package init(path: String) { self.path = path }
}

/// The entries of a playlist.
package struct PlaylistContents: Hashable, Sendable {
  /// Maximum number of entries of a playlist.
  package static let maxCount = 10_000

  /// Entries in playing order.
  package let entries: [PlaylistEntry]
  /// Whether entries are missing because the playlist exceeds `maxCount` or the size that is read.
  package let isCut: Bool

  /// Creates the contents.
  ///
  /// - Parameters:
  ///   - entries: At most `maxCount` entries.
  ///   - isCut: Whether entries are missing.
  package init(_ entries: [PlaylistEntry], isCut: Bool) {
    self.entries = entries
    self.isCut = isCut
  }
}

extension PacketWriter {
  /// Appends an entry, which must be the last field of its message. Longer texts than `PlaylistEntry.maxText` are cut.
  package mutating func put(_ entry: PlaylistEntry) {
    put(entry.section != nil)
    put(UInt32(entry.section?.start ?? 0))
    put(UInt32(entry.section?.end ?? 0))
    put(UInt32(entry.trackNumber ?? 0))
    for text in [entry.title, entry.artist, entry.album, entry.albumArtist, entry.date, entry.genre] {
      let count = min(text?.utf8.count ?? 0, PlaylistEntry.maxText)
      put(UInt32(count))
      put(text ?? "", size: count)
    }
    put(entry.path, size: entry.path.utf8.count)
  }
}

extension PacketReader {
  /// Reads an entry to the end of the message; nil unless all of its fields are valid.
  package mutating func playlistEntry() -> PlaylistEntry? {
    guard let hasSection = bool(), let start = uint32(), let end = uint32(), let number = uint32(),
      number < 1000
    else { return nil }
    var texts: [String] = []
    for _ in 0..<6 {
      guard let count = uint32(), count <= PlaylistEntry.maxText, let text = text(size: Int(count)) else {
        return nil
      }
      texts.append(text)
    }
    guard let path = restAsText(limit: PlaylistParser.maximumEntry) else { return nil }
    var entry = PlaylistEntry(path: path)
    if hasSection {
      guard let start = Int(exactly: start), let end = Int(exactly: end),
        let section = FileSection(start: start, end: end == 0 ? nil : end)
      else { return nil }
      entry.section = section
    }
    entry.trackNumber = number == 0 ? nil : Int(number)
    func known(_ text: String) -> String? { text.utf8.isEmpty ? nil : text }
    (entry.title, entry.artist, entry.album) = (known(texts[0]), known(texts[1]), known(texts[2]))
    (entry.albumArtist, entry.date, entry.genre) = (known(texts[3]), known(texts[4]), known(texts[5]))
    return entry
  }
}
