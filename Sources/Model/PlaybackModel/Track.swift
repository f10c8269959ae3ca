// One entry of the queue: what to play and what is known of it.
// A pure value; control thread.

/// One entry of the queue. Two entries of the same file are two tracks with different ids.
package struct Track: Hashable, Sendable {
  /// Unique per queue entry for as long as the engine runs; the queue hands it out.
  package var id: UInt64
  /// Where it is: an absolute path or a URI.
  package var path: String
  /// Which part of the file it is; nil for all of it. Positions and length count from the part's beginning.
  package var section: FileSection?
  /// The title tag.
  package var title: String?
  /// The artist tag.
  package var artist: String?
  /// The album tag.
  package var album: String?
  /// The track number tag, counted from 1.
  package var trackNumber: Int?
  /// The length at the engine's rate, once a decoder has told it.
  package var length: Frames?
  /// ReplayGain or R128 values, once a decoder has told them.
  package var loudness: Loudness?

  /// A track; everything but id and path may be unknown until a decoder has opened it.
  package init(
    id: UInt64, path: String, section: FileSection? = nil, title: String? = nil, artist: String? = nil,
    album: String? = nil,
    trackNumber: Int? = nil, length: Frames? = nil, loudness: Loudness? = nil
  ) {
    self.id = id
    self.path = path
    self.section = section
    self.title = title
    self.artist = artist
    self.album = album
    self.trackNumber = trackNumber
    self.length = length
    self.loudness = loudness
  }

  /// From this id on, tracks are entries of no queue but of a list that stands in for a silent station.
  static let firstFallbackID: UInt64 = 1 << 62

  /// Whether it stands in for a silent station: it fades in and out, whatever a person's skips do.
  package var isFallback: Bool { id >= Self.firstFallbackID }

  /// The path without its last component, without the slash; empty where there is none.
  package var folder: Substring.UTF8View {
    let bytes = path[...].utf8
    guard let slash = bytes.lastIndex(of: 0x2F) else { return bytes[bytes.startIndex..<bytes.startIndex] }
    return bytes[bytes.startIndex..<slash]
  }

  /// What to show for it: the title, or else the last component of the path.
  package var displayName: String {
    if let title, !title.utf8.isEmpty { return title }
    let bytes = path.utf8
    guard let slash = bytes.lastIndex(of: 0x2F), bytes.index(after: slash) != bytes.endIndex else {
      return path
    }
    return String(path[bytes.index(after: slash)...])
  }

  /// What to show for it in a line: its artist, too, where that is known.
  package var nameInALine: String {
    guard let artist, !artist.utf8.isEmpty else { return displayName }
    return artist + " – " + displayName
  }

  /// Whether the music runs on from `previous` without a break: the same album with the track number
  /// that follows, or the same album in the same folder. Such tracks are joined, not faded.
  package func joinsGaplessly(after previous: Track) -> Bool {
    if let section, let other = previous.section, path == previous.path, section.follows(other) {
      return true
    }
    guard let album, let other = previous.album, !album.utf8.isEmpty, album == other else { return false }
    if let number = trackNumber, let before = previous.trackNumber, number == before &+ 1 { return true }
    return folder.elementsEqual(previous.folder)
  }

  /// Whether it lives in `directory` or beneath it, or is what that path names.
  package func lives(beneath directory: String) -> Bool {
    path.isBeneath(directory) || path.utf8.elementsEqual(directory.utf8)
  }
}
