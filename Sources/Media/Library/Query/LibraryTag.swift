// Tags by the names that people and programs give them, and where the index has them. Pure; any thread.

import Platform

/// A tag that tracks can be asked for by.
enum LibraryTag: Hashable, Sendable {
  case title, artist, album, albumArtist, track, genre, date, disc
  /// One that files may have and the index does not: nothing is known of it.
  case unknown(String)

  /// Tags that have names and are not in the index.
  private static let others = [
    "artistsort", "albumsort", "albumartistsort", "titlesort", "name", "mood", "originaldate",
    "composer", "composersort", "performer", "conductor", "work", "ensemble", "movement", "movementnumber",
    "location", "grouping", "comment", "label", "showmovement", "musicbrainz_artistid",
    "musicbrainz_albumid", "musicbrainz_albumartistid", "musicbrainz_trackid", "musicbrainz_releasetrackid",
    "musicbrainz_workid", "musicbrainz_releasegroupid",
  ]

  /// The tag of a name, in any letters; nil where there is none.
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

  /// The tag of a name, or what there is instead.
  static func named(_ name: String) throws(LibraryFault) -> LibraryTag {
    if let tag = LibraryTag(named: name) { return tag }
    throw LibraryFault(
      "'\(name)' is no tag; there are title, artist, album, albumartist, track, disc, genre and date")
  }

  /// The name in answers.
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

  /// What has its text.
  var column: String {
    switch self {
    case .title: "title"
    case .artist: "artist"
    case .album: "album"
    // Of an album whose artist is not said, it is the track's.
    case .albumArtist: "coalesce(nullif(albumartist, ''), artist)"
    case .track: "CASE number WHEN 0 THEN '' ELSE CAST(number AS TEXT) END"
    case .genre: "genre"
    case .date: "date"
    case .disc: "CASE disc WHEN 0 THEN '' ELSE CAST(disc AS TEXT) END"
    case .unknown: "''"
    }
  }

  /// What has its text in small letters.
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

  /// Tags with text, by the number that `value` has for them, in the order of `TextTag`.
  private static let multiple: [LibraryTag] = [.title, .artist, .album, .albumArtist, .genre, .date]

  /// Whether it may have several values.
  var mayHaveSeveral: Bool { Self.multiple.contains(self) }

  /// The join that gives a row for each value of the tag, and the column with that value. `place` numbers the joins of a question.
  func eachValue(_ place: Int) -> (table: String, column: String) {
    guard let number = Self.multiple.firstIndex(of: self) else { return ("", column) }
    let table = "value" + String(place)
    // Of an album whose artist is not said, it is the track's.
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

  /// What tracks are sorted by.
  var order: String {
    switch self {
    // Tracks without a title go first, as in MPD: their small title is the name of their file.
    case .title: "CASE title WHEN '' THEN '' ELSE small_title END"
    case .track: "number"
    case .disc: "disc"
    default: smallColumn
    }
  }
}
