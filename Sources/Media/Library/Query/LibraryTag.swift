// Tags of the index: their names in commands, and their columns. Pure; any thread.

import Platform

/// A tag that can be queried.
enum LibraryTag: Hashable, Sendable {
  case title, artist, album, albumArtist, track, genre, date, disc
  /// A known tag name that is not in the index; its value is always empty.
  case unknown(String)

  /// Known tag names that are not in the index.
  private static let others = [
    "artistsort", "albumsort", "albumartistsort", "titlesort", "name", "mood", "originaldate",
    "composer", "composersort", "performer", "conductor", "work", "ensemble", "movement", "movementnumber",
    "location", "grouping", "comment", "label", "showmovement", "musicbrainz_artistid",
    "musicbrainz_albumid", "musicbrainz_albumartistid", "musicbrainz_trackid", "musicbrainz_releasetrackid",
    "musicbrainz_workid", "musicbrainz_releasegroupid",
  ]

  /// The tag with a name, ignoring case; nil if there is none.
  init?(named name: String) {
    let small = TextFolding.folded(name)
    switch small {
    case "title": self = .title
    case "artist": self = .artist
    case "album": self = .album
    case "albumartist": self = .albumArtist
    case "track": self = .track
    case "genre": self = .genre
    case "date": self = .date
    case "disc": self = .disc
    default:
      guard Self.others.contains(small) else { return nil }
      self = .unknown(small)
    }
  }

  /// The tag with a name.
  ///
  /// - Throws: `LibraryFault` that lists the existing tags.
  static func named(_ name: String) throws(LibraryFault) -> LibraryTag {
    if let tag = LibraryTag(named: name) { return tag }
    throw LibraryFault(
      "'\(name)' is no tag; there are title, artist, album, albumartist, track, disc, genre and date")
  }

  /// Name in answers.
  var name: String {
    switch self {
    case .title: "title"
    case .artist: "artist"
    case .album: "album"
    case .albumArtist: "albumartist"
    case .track: "track"
    case .genre: "genre"
    case .date: "date"
    case .disc: "disc"
    case .unknown(let name): name
    }
  }

  /// SQL expression of its text.
  var column: String {
    switch self {
    case .title: "title"
    case .artist: "artist"
    case .album: "album"
    // Without an album artist, the track's artist is used.
    case .albumArtist: "coalesce(nullif(albumartist, ''), artist)"
    case .track: "CASE number WHEN 0 THEN '' ELSE CAST(number AS TEXT) END"
    case .genre: "genre"
    case .date: "date"
    case .disc: "CASE disc WHEN 0 THEN '' ELSE CAST(disc AS TEXT) END"
    case .unknown: "''"
    }
  }

  /// SQL expression of its folded text.
  var smallColumn: String {
    switch self {
    case .title: "small_title"
    case .artist: "small_artist"
    case .album: "small_album"
    case .albumArtist: "coalesce(nullif(small_albumartist, ''), small_artist)"
    case .genre: "small_genre"
    case .track, .date, .disc, .unknown: column
    }
  }

  /// Tags with multiple values; the index is their number in the table `value`, in the order of `TextTag`.
  private static let multiple: [LibraryTag] = [.title, .artist, .album, .albumArtist, .genre, .date]

  /// Whether the tag may have multiple values.
  var mayHaveSeveral: Bool { Self.multiple.contains(self) }

  /// A join with one row per value of the tag, and the column with that value.
  ///
  /// - Parameter place: Number of the join within the query.
  func eachValue(_ place: Int) -> (table: String, column: String) {
    guard let number = Self.multiple.firstIndex(of: self) else { return ("", column) }
    let table = "value" + String(place)
    // Without an album artist, the track's artist is used.
    let artist = Self.multiple.firstIndex(of: .artist) ?? 0
    let tag =
      self == .albumArtist
      ? "CASE albumartist WHEN '' THEN " + String(artist) + " ELSE " + String(number) + " END"
      : String(number)
    return (
      " LEFT JOIN value AS \(table) ON \(table).track = track.rowid AND \(table).tag = \(tag)",
      "coalesce(\(table).text, \(column))"
    )
  }

  /// SQL expression to sort by.
  var order: String {
    switch self {
    // Tracks without a title come first, as in MPD; their `small_title` is the file name.
    case .title: "CASE title WHEN '' THEN '' ELSE small_title END"
    case .track: "number"
    case .disc: "disc"
    default: smallColumn
    }
  }
}
