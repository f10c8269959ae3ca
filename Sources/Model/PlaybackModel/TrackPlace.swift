// A place in a track, as bookmarks and tags keep it. Pure value; control thread.

/// A track and a position in it.
package struct TrackPlace: Hashable, Sendable {
  /// The track's path or address.
  package let path: String
  /// Which part of the file the track is; nil for all of it.
  package let section: FileSection?
  /// From the track's beginning, to the millisecond.
  package let position: Seconds

  /// A place in a track.
  package init(path: String, section: FileSection?, position: Seconds) {
    self.path = path
    self.section = section
    let milliseconds = Int64(max(0, min(position.value, 1e8)) * 1000 + 0.5)
    self.position = Seconds(Double(milliseconds) / 1000)
  }

  /// Whether a track is this one.
  package func isIn(_ track: Track) -> Bool { track.path == path && track.section == section }
}
