// Cover art and its image formats. Values; any thread.

/// A picture as stored in a file.
package struct Picture: Hashable, Sendable {
  /// Maximum size in bytes; larger pictures are rejected.
  package static let maxBytes = 8 << 20

  /// Where it was found.
  package let place: Place
  /// Format according to the first bytes; nil if it is unknown.
  package let format: PictureFormat?
  /// The encoded picture.
  package let bytes: [UInt8]

  /// Origin of a picture.
  package enum Place: String, Sendable, CaseIterable {
    /// Embedded in the track's file.
    case track
    /// A file in the track's folder.
    case folder
  }

  /// A picture; its format is detected.
  package init(_ place: Place, _ bytes: [UInt8]) {
    self.place = place
    self.bytes = bytes
    format = PictureFormat(bytes)
  }
}

/// Image formats, named as in media types.
package enum PictureFormat: String, Sendable, CaseIterable {
  case png, jpeg, webp, gif, bmp, tiff, jxl, avif

  /// Media type.
  package var type: String { "image/" + rawValue }

  /// Detects a format by its magic number; nil if it is unknown.
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

/// Why a picture cannot be returned.
enum PictureFault: Error {
  case tooLarge
}
