// Selects the best picture of a file. A value.

import MediaFormats

/// The best picture so far: the front cover, otherwise the first one.
struct PictureChoice {
  /// Picture type of the front cover in ID3v2 and FLAC.
  static let frontCover: Int64 = 3

  private(set) var bytes: [UInt8]?
  private var kind: Int64 = 0

  /// Whether no further picture can be better.
  var isSettled: Bool { bytes != nil && kind == Self.frontCover }

  /// Whether a picture of a type would be selected.
  func wants(_ kind: Int64) -> Bool { bytes == nil || kind == Self.frontCover && self.kind != kind }

  mutating func offer(_ kind: Int64, _ picture: ArraySlice<UInt8>) throws(PictureFault) {
    guard wants(kind), !picture.isEmpty else { return }
    guard picture.count <= Picture.maxBytes else { throw .tooLarge }
    self.kind = kind
    bytes = Array(picture)
  }

  /// Offers the picture of a FLAC picture block (RFC 9639, section 8.8), which Ogg comments also use.
  mutating func offer(block: [UInt8]) throws(PictureFault) {
    guard let kind = block.big(0), let typeLength = block.big(4),
      let nameLength = block.big(8 + typeLength)
    else { return }
    let place = 8 + typeLength + 4 + nameLength + 16
    // The media type "-->" means that the data is a URL instead of a picture.
    guard let length = block.big(place), !(typeLength == 3 && block.has("-->", at: 8)) else { return }
    guard length <= Int64(Picture.maxBytes) else { throw .tooLarge }
    guard Int64(block.count) - place - 4 >= length else { return }
    try offer(kind, block[Int(place + 4)..<Int(place + 4 + length)])
  }
}
