// The state of one MPD client's session: permission, tags, binary limit, channels. A value.

import Platform

/// A client's session state.
package struct MPDSession: Sendable {
  /// The range of `binarylimit` in bytes, as in MPD.
  static let binaryLimits = 64...(8 << 20) - 4096
  /// Maximum bytes of binary data in an answer, regardless of the client's limit.
  static let maxBinaryBytes = 1 << 20

  /// The client's permission.
  package internal(set) var permission: MPDPermission
  /// The tags to be sent.
  var tags = MPDTag.allCases
  var binaryLimit = 8192
  /// Subscribed channels.
  var channels: [String] = []
  /// Queued messages, oldest first.
  var messages: [(channel: String, text: String)] = []
  /// Whether it has sent a command.
  var hasSpoken = false
  /// Number of wrong passwords sent.
  var wrongPasswords = 0
  let access: MPDAccess

  /// The session of a new client.
  package init(_ access: MPDAccess) {
    self.access = access
    permission = access.guests
  }
}

/// Tags supported by the server.
enum MPDTag: String, Sendable, CaseIterable {
  case artist = "Artist"
  case album = "Album"
  case albumArtist = "AlbumArtist"
  case title = "Title"
  case track = "Track"
  case genre = "Genre"
  case date = "Date"
  case disc = "Disc"
  case name = "Name"

  init(named name: String) throws(MPDRefusal) {
    for tag in Self.allCases where MPDTag.small(tag.rawValue) == MPDTag.small(name) {
      self = tag
      return
    }
    throw MPDRefusal(.argument, "Unknown tag type")
  }

  /// Tags that MPD has and this server accepts, but never sends.
  static let others = [
    "ArtistSort", "AlbumArtistSort", "AlbumSort", "TitleSort", "Mood",
    "OriginalDate", "Composer",
    "ComposerSort", "Performer", "Conductor", "Work", "Movement", "MovementNumber", "Ensemble", "Location",
    "Grouping", "Comment",
    "Label", "ShowMovement", "MUSICBRAINZ_ARTISTID", "MUSICBRAINZ_ALBUMID",
    "MUSICBRAINZ_ALBUMARTISTID",
    "MUSICBRAINZ_TRACKID", "MUSICBRAINZ_RELEASETRACKID", "MUSICBRAINZ_WORKID", "MUSICBRAINZ_RELEASEGROUPID",
  ]

  static func small(_ text: String) -> String { text.asciiLowercased }
}
