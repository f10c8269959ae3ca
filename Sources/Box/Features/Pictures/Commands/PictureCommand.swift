// The parsed `picture` command, which looks up cover art. Pure values; any thread.

/// A request for the picture of a track or folder.
package struct PictureCommand: Hashable, Sendable {
  /// The place to search for the picture.
  package enum Place: String, Hashable, Sendable, CaseIterable {
    /// In the track's file, then beside it.
    case any
    case track, folder
  }

  /// The most bytes of a picture in one answer.
  package static let maxBytes = 20 * bytesOfRow
  /// Bytes of a picture in one row of an answer. As base64 they fit a line in every reply format.
  package static let bytesOfRow = 1152

  /// The path of a file or a folder.
  package let path: String
  /// The place to search for the picture.
  package let place: Place
  /// The range of bytes to return; nil for a description only.
  package let bytes: Range<Int>?

  /// Creates a request.
  package init(path: String, place: Place, bytes: Range<Int>? = nil) {
    self.path = path
    self.place = place
    self.bytes = bytes
  }

  /// The arguments, with private texts replaced.
  ///
  /// - Parameter name: Returns the replacement for a private text.
  func anonymousWords(_ name: (String) -> String) -> String {
    " " + name(path) + " " + place.rawValue
      + (bytes.map { " " + String($0.lowerBound) + ":" + String($0.upperBound) } ?? "")
  }
}
