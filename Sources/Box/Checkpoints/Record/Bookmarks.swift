// Where long tracks were left, and the text file that keeps it. Pure values; control thread.

import PlaybackModel

/// The places in long tracks, by path and section: at most 256, the one set longest ago goes first.
package struct Bookmarks: KeptContents {
  package static var noun: String { "bookmark" }
  /// Most entries.
  package static let maxCount = 256
  /// Bytes of a path at most; a track with a longer one is not remembered.
  package static let maxPathLength = 4096
  /// Bytes of a file at most: more than it can hold with every byte of every path written as three.
  package static let maxFileBytes = 256 * (3 * 4096 + 64) + 256
  private static let head =
    "# Where Swiftlet goes on: milliseconds, of a cue sheet's track its beginning and end in 1/75 s, path."

  /// The places, the one set last at the end.
  package private(set) var entries: [TrackPlace] = []

  /// None.
  package init() {}

  /// The position in a track; nil if there is none.
  package func position(of path: String, section: FileSection? = nil) -> Seconds? {
    entries.first { $0.path == path && $0.section == section }?.position
  }

  /// Sets a track's position.
  package mutating func set(_ path: String, section: FileSection? = nil, to position: Seconds) {
    guard path.utf8.count <= Self.maxPathLength, !path.utf8.isEmpty else { return }
    remove(path, section: section)
    if entries.count == Self.maxCount { entries.removeFirst() }
    entries.append(TrackPlace(path: path, section: section, position: position))
  }

  /// Forgets a track.
  package mutating func remove(_ path: String, section: FileSection? = nil) {
    entries.removeAll { $0.path == path && $0.section == section }
  }

  /// Forgets all.
  package mutating func clear() { entries = [] }

  /// The file's contents: a line an entry, with control characters, `%` and what is no ASCII as `%XX`.
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
