// What the server knows of one client: values that its commands change. Nothing here waits.

import Platform

/// One client's choices.
package struct MPDSession: Sendable {
  /// Bytes of binary data in one answer, as MPD has it.
  static let binaryLimits = 64...(8 << 20) - 4096
  /// Bytes of binary data that one answer holds at most, whatever a client would take.
  static let maxBinaryBytes = 1 << 20

  /// What it may do.
  package internal(set) var permission: MPDPermission
  /// Which tags it wants to see.
  var tags = MPDTag.allCases
  var binaryLimit = 8192
  /// Names of channels that it listens to.
  var channels: [String] = []
  /// Messages for it, oldest first.
  var messages: [(channel: String, text: String)] = []
  /// Whether it has given a command.
  var hasSpoken = false
  /// Wrong passwords that it has given.
  var wrongPasswords = 0
  let access: MPDAccess

  /// A client that has just come.
  package init(_ access: MPDAccess) {
    self.access = access
    permission = access.guests
  }
}

/// Tags of which a box knows something.
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

  /// Tags that MPD has and a box does not know: they are accepted, and never sent.
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
