// What can be asked about pictures of music. Pure values; any thread.

/// A question for the picture of a track or folder.
package struct PictureCommand: Hashable, Sendable {
  /// Where it is looked for.
  package enum Place: String, Hashable, Sendable, CaseIterable {
    /// In the track's file, and then beside it.
    case any
    case track, folder
  }

  /// Bytes of a picture that one answer holds at most.
  package static let maxBytes = 20 * bytesOfRow
  /// Bytes in a row of it: as base64, all formats of answers have room for them in a line.
  package static let bytesOfRow = 1152

  /// A file or a folder.
  package let path: String
  /// Where it is looked for.
  package let place: Place
  /// Which of its bytes are wanted; nil: none, only what it is.
  package let bytes: Range<Int>?

  /// A question.
  package init(path: String, place: Place, bytes: Range<Int>? = nil) {
    self.path = path
    self.place = place
    self.bytes = bytes
  }

  /// The words behind `picture`, in which `name` stands in for whatever is private.
  func anonymousWords(_ name: (String) -> String) -> String {
    " " + name(path) + " " + place.rawValue
      + (bytes.map { " " + String($0.lowerBound) + ":" + String($0.upperBound) } ?? "")
  }
}
