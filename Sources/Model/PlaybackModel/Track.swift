// One entry of the queue: its path and the known metadata. A pure value; control thread.

/// One entry of the queue. Two entries with the same file are two tracks with different ids.
package struct Track: Hashable, Sendable {
  /// Id of the queue entry, assigned by the queue and unique while the engine runs.
  package var id: UInt64
  /// An absolute path or a URI.
  package var path: String
  /// The section of the file; nil for the whole file. Positions and length are relative to its start.
  package var section: FileSection?
  /// The title tag.
  package var title: String?
  /// The artist tag.
  package var artist: String?
  /// The album tag.
  package var album: String?
  /// The track number tag, counted from 1.
  package var trackNumber: Int?
  /// Length at the engine's rate; nil until a decoder has reported it.
  package var length: Frames?
  /// ReplayGain or R128 values; nil until a decoder has reported them.
  package var loudness: Loudness?

  /// A track. All except id and path may be unknown until a decoder has opened it.
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

  /// Ids from this one on belong to the fallback of a silent radio stream, which is not in the queue.
  static let firstFallbackID: UInt64 = 1 << 62

  /// Whether it belongs to the fallback of a silent stream. Such tracks always fade in and out, even at skips.
  package var isFallback: Bool { id >= Self.firstFallbackID }

  /// The path without its last component and slash; empty if there is no slash.
  package var folder: Substring.UTF8View {
    let bytes = path[...].utf8
    guard let slash = bytes.lastIndex(of: 0x2F) else { return bytes[bytes.startIndex..<bytes.startIndex] }
    return bytes[bytes.startIndex..<slash]
  }

  /// Name for displays: the title, or the last component of the path.
  package var displayName: String {
    if let title, !title.utf8.isEmpty { return title }
    let bytes = path.utf8
    guard let slash = bytes.lastIndex(of: 0x2F), bytes.index(after: slash) != bytes.endIndex else {
      return path
    }
    return String(path[bytes.index(after: slash)...])
  }

  /// Name for displays with the artist, if known.
  package var nameInALine: String {
    guard let artist, !artist.utf8.isEmpty else { return displayName }
    return artist + " – " + displayName
  }

  /// Whether the music continues from `previous` without a gap, so that the tracks are joined without a fade.
  ///
  /// That is the case for adjacent sections of a file, and for tracks of the same album with consecutive numbers or in
  /// the same folder.
  package func joinsGaplessly(after previous: Track) -> Bool {
    if let section, let other = previous.section, path == previous.path, section.follows(other) {
      return true
    }
    guard let album, let other = previous.album, !album.utf8.isEmpty, album == other else { return false }
    if let number = trackNumber, let before = previous.trackNumber, number == before &+ 1 { return true }
    return folder.elementsEqual(previous.folder)
  }

  /// Whether its path is `directory` or below it.
  package func lives(beneath directory: String) -> Bool {
    path.isBeneath(directory) || path.utf8.elementsEqual(directory.utf8)
  }
}
