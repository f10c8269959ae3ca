// Which of a file's pictures is the one to show. A value.

/// The best picture so far: the front cover, or else the first.
struct PictureChoice {
  /// The front cover among the kinds of pictures that ID3v2 numbers, and others after it.
  static let frontCover = 3

  private(set) var bytes: [UInt8]?
  private var kind = 0

  /// Whether no other picture can be better.
  var isSettled: Bool { bytes != nil && kind == Self.frontCover }

  /// Whether a picture of a kind would be taken.
  func wants(_ kind: Int) -> Bool { bytes == nil || kind == Self.frontCover && self.kind != kind }

  mutating func offer(_ kind: Int, _ picture: ArraySlice<UInt8>) throws(PictureFault) {
    guard wants(kind), !picture.isEmpty else { return }
    guard picture.count <= Picture.maxBytes else { throw .tooLarge }
    self.kind = kind
    bytes = Array(picture)
  }

  /// Offers what a picture block of FLAC holds (RFC 9639, 8.8), which Ogg's comments have, too.
  mutating func offer(block: [UInt8]) throws(PictureFault) {
    guard let kind = block.big(0), let typeLength = block.big(4),
      let nameLength = block.big(8 + typeLength)
    else { return }
    let place = 8 + typeLength + 4 + nameLength + 16
    // A type of this kind says that an address stands in the picture's place.
    guard let length = block.big(place), !(typeLength == 3 && block.has("-->", at: 8)) else { return }
    guard length <= Picture.maxBytes else { throw .tooLarge }
    guard block.count - place - 4 >= length else { return }
    try offer(kind, block[(place + 4)..<(place + 4 + length)])
  }
}
