// A picture that belongs to music. Values; any thread.

/// A picture, as it stands in a file.
package struct Picture: Hashable, Sendable {
  /// The most bytes of one; what is larger is left where it is.
  package static let maxBytes = 8 << 20

  /// Where it was.
  package let place: Place
  /// What its first bytes say that it is; nil: something else.
  package let format: PictureFormat?
  /// The picture.
  package let bytes: [UInt8]

  /// Where pictures are.
  package enum Place: String, Sendable, CaseIterable {
    /// In the track's own file.
    case track
    /// In a file beside the track.
    case folder
  }

  /// A picture that was found.
  package init(_ place: Place, _ bytes: [UInt8]) {
    self.place = place
    self.bytes = bytes
    format = PictureFormat(bytes)
  }
}

/// Formats of pictures, by their names among media types.
package enum PictureFormat: String, Sendable, CaseIterable {
  case png, jpeg, webp, gif, bmp, tiff, jxl, avif

  /// The media type.
  package var type: String { "image/" + rawValue }

  /// What begins like this; nil: none that is known.
  package init?(_ bytes: [UInt8]) {
    func begins(_ magic: [UInt8], at place: Int = 0) -> Bool { bytes.dropFirst(place).starts(with: magic) }
    if begins([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if begins([0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if begins(Array("RIFF".utf8)), begins(Array("WEBP".utf8), at: 8) {
      self = .webp
    } else if begins(Array("GIF8".utf8)) {
      self = .gif
    } else if begins(Array("BM".utf8)) {
      self = .bmp
    } else if begins([0x49, 0x49, 0x2A, 0]) || begins([0x4D, 0x4D, 0, 0x2A]) {
      self = .tiff
    } else if begins([0xFF, 0x0A]) || begins([0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20]) {
      self = .jxl
    } else if begins(Array("ftypavif".utf8), at: 4) {
      self = .avif
    } else {
      return nil
    }
  }
}

/// Why there is no picture though there should be.
enum PictureFault: Error {
  case tooLarge
}
