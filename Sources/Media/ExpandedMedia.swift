// What something that a person named comes to. A value; any thread.

import PlaybackModel

/// Tracks, and what is missing of them.
package struct ExpandedMedia: Sendable {
  /// What can be tried, in order.
  package var tracks: [Track]
  /// A sentence about entries of playlists that do not exist and were left out; nil where there are none.
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
