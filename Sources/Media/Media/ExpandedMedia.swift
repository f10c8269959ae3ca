// What something that a person named comes to. A value; any thread.

import PlaybackModel

/// Tracks, and what is missing of them.
package struct ExpandedMedia: Sendable {
  /// What can be tried, in order.
  package var tracks: [Track]
  /// Sentences about what was left out: entries of playlists that do not exist, folders that cannot be read, what there is no room
  /// for; nil where nothing was.
  package var note: String?

  /// Tracks of which nothing is missing, unless a note says so.
  package init(_ tracks: [Track], note: String? = nil) {
    self.tracks = tracks
    self.note = note
  }

  /// Adds what something else comes to.
  package mutating func append(_ other: ExpandedMedia) {
    tracks += other.tracks
    if let more = other.note { note = note.map { $0 + " " + more } ?? more }
  }
}
