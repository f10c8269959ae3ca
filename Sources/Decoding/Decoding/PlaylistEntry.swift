// One entry of a playlist or a cue sheet. A value; read in the worker, used on the control thread.

import PlaybackModel
import Platform

/// What a playlist names: a file, or, from a cue sheet, a part of one, with what is known of it.
package struct PlaylistEntry: Hashable, Sendable {
  /// The path or URI as it stands in the playlist.
  package var path: String
  /// The part of the file; nil for all of it. Entries of cue sheets have one.
  package var section: FileSection?
  /// From 1; nil where it is not known.
  package var trackNumber: Int?
  /// The title; nil where it is not known.
  package var title: String?
  /// Who performs it; nil where it is not known.
  package var artist: String?
  /// The title of the album; nil where it is not known.
  package var album: String?
  /// Album performer; nil if unknown.
  package var albumArtist: String?
  /// When the album came out; nil where it is not known.
  package var date: String?
  /// The album's kind of music; nil where it is not known.
  package var genre: String?

  /// An entry of which only the path is known.
  package init(path: String) { self.path = path }
}

/// What a playlist holds.
package struct PlaylistContents: Hashable, Sendable {
  /// Entries of a playlist at most.
  package static let maxCount = 10_000

  /// In the order in which they are to be played.
  package let entries: [PlaylistEntry]
  /// Whether it has more entries, or is longer than is looked at.
  package let isCut: Bool

  init(_ entries: [PlaylistEntry], isCut: Bool) {
    self.entries = entries
    self.isCut = isCut
  }
}

extension PacketWriter {
  mutating func put(_ entry: PlaylistEntry) {
    put(entry.section != nil)
    put(UInt32(entry.section?.start ?? 0))
    put(UInt32(entry.section?.end ?? 0))
    put(UInt32(entry.trackNumber ?? 0))
    for text in [entry.title, entry.artist, entry.album, entry.albumArtist, entry.date, entry.genre] {
      let count = min(text?.utf8.count ?? 0, Limits.text - 1)
      put(UInt32(count))
      put(text ?? "", size: count)
    }
    put(entry.path, size: entry.path.utf8.count)
  }
}

extension PacketReader {
  /// An entry, nil unless all of it is plausible.
  mutating func playlistEntry() -> PlaylistEntry? {
    guard let hasSection = bool(), let start = uint32(), let end = uint32(), let number = uint32(),
      number < 1000
    else { return nil }
    var texts: [String] = []
    for _ in 0..<6 {
      guard let count = uint32(), count < Limits.text, let text = text(size: Int(count)) else { return nil }
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
