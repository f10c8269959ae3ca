// A position in a track, as stored for bookmarks and tags. A pure value; control thread.

/// A track and a position in it.
package struct TrackPlace: Hashable, Sendable {
  /// Path or URI of the track.
  package let path: String
  /// The section of the file; nil for the whole file.
  package let section: FileSection?
  /// Position from the start of the track, rounded to milliseconds.
  package let position: Seconds

  /// A place in a track.
  package init(path: String, section: FileSection?, position: Seconds) {
    self.path = path
    self.section = section
    let milliseconds = Int64(max(0, min(position.value, 1e8)) * 1000 + 0.5)
    self.position = Seconds(Double(milliseconds) / 1000)
  }

  /// Whether `track` is the track of this place.
  package func isIn(_ track: Track) -> Bool { track.path == path && track.section == section }
}
