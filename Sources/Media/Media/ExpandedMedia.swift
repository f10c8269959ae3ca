// Result of expanding a path, folder or playlist to tracks. A value; any thread.

import PlaybackModel

/// Tracks, and a note about those left out.
package struct ExpandedMedia: Sendable {
  /// The tracks in order; they have not been opened yet.
  package var tracks: [Track]
  /// Sentences about what was left out: missing playlist entries, unreadable folders, exceeded limits; nil if nothing
  /// was.
  package var note: String?

  /// Tracks with an optional note.
  package init(_ tracks: [Track], note: String? = nil) {
    self.tracks = tracks
    self.note = note
  }

  /// Appends another result.
  package mutating func append(_ other: ExpandedMedia) {
    tracks += other.tracks
    if let more = other.note { note = note.map { $0 + " " + more } ?? more }
  }
}
