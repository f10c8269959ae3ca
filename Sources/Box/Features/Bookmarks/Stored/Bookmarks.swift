// Bookmarks: the last positions in long tracks, and their text file. Pure values; control thread.

import PlaybackModel

/// Bookmarks by path and section: at most 256; the oldest is evicted first.
package struct Bookmarks: KeptContents {
  package static var noun: String { "bookmark" }
  /// The most bookmarks.
  package static let maxCount = 256
  /// The most bytes of a path; tracks with longer paths get no bookmark.
  package static let maxPathLength = 4096
  /// The most bytes of a file: the limits above with every byte of the paths escaped to three.
  package static let maxFileBytes = 256 * (3 * 4096 + 64) + 256
  private static let head =
    "# Where Swiftlet resumes long tracks: milliseconds, begin and end of a cue sheet's track in 1/75 s, path."

  /// The bookmarks, the most recent last.
  package private(set) var entries: [TrackPlace] = []

  /// Creates an empty list.
  package init() {}

  /// The position in a track; nil if it has no bookmark.
  package func position(of path: String, section: FileSection? = nil) -> Seconds? {
    entries.first { $0.path == path && $0.section == section }?.position
  }

  /// Sets the bookmark of a track.
  package mutating func set(_ path: String, section: FileSection? = nil, to position: Seconds) {
    guard path.utf8.count <= Self.maxPathLength, !path.utf8.isEmpty else { return }
    remove(path, section: section)
    if entries.count == Self.maxCount { entries.removeFirst() }
    entries.append(TrackPlace(path: path, section: section, position: position))
  }

  /// Removes the bookmark of a track.
  package mutating func remove(_ path: String, section: FileSection? = nil) {
    entries.removeAll { $0.path == path && $0.section == section }
  }

  /// Removes all bookmarks.
  package mutating func clear() { entries = [] }

  /// The file's contents, one line per bookmark. Control characters, `%` and non-ASCII bytes are escaped as
  /// `%XX`.
  package var text: [UInt8] {
    var bytes = Array(Self.head.utf8)
    bytes.append(0x0A)
    for entry in entries {
      PlaceText.write(entry, to: &bytes)
      bytes.append(0x0A)
    }
    return bytes
  }

  package mutating func take(line: ArraySlice<UInt8>) -> Bool {
    guard let place = PlaceText.read(line, longest: Self.maxPathLength),
      place.path.utf8.first == 0x2F || place.path.isURI
    else { return false }
    set(place.path, section: place.section, to: place.position)
    return true
  }
}
