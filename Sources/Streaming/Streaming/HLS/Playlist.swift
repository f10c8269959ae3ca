// What a playlist of HTTP Live Streaming says (RFC 8216). Values; fetcher process.

/// A playlist.
enum Playlist: Equatable {
  /// Names playlists of one sound, in different qualities.
  case variants([Variant])
  /// Names the pieces of a sound.
  case segments(SegmentList)

  /// Bytes of a playlist: hours of segments of some seconds.
  static let maxLength = 2 << 20
  static let maxSegments = 20_000
  static let maxVariants = 128

  /// Whether a text is one, and not a list of a station's addresses, which may begin as one does.
  static func isOne(_ text: ArraySlice<UInt8>) -> Bool {
    text.split { $0 == 0x0A || $0 == 0x0D }.contains { $0.starts(with: "#EXT-X-".utf8) }
  }
}

/// One quality of a sound.
struct Variant: Equatable {
  /// Where its playlist is, as it stands there.
  var reference: [UInt8]
  /// Bits a second at most.
  var bandwidth: Int64 = 0
  /// What it is encoded with, as it says; empty where it does not.
  var codecs: [UInt8] = []
  /// Whether pictures are in it.
  var hasPicture = false
}

/// The pieces of a sound.
struct SegmentList: Equatable {
  /// The playlist itself, of which the segments name parts.
  var text: [UInt8] = []
  var segments: [Segment] = []
  /// What the segments need to be understood, such as the codec's settings.
  var maps: [Part] = []
  /// Milliseconds that no segment exceeds, about; within bounds that playing can rely on.
  var target: Int64 = targets.lowerBound
  /// The number of the first segment.
  var first: Int64 = 0
  /// Whether no more segments will follow.
  var isEnded = false
  /// How what cannot be played is encrypted; empty where nothing is.
  var protection: [UInt8] = []

  /// The number behind that of the last segment.
  var end: Int64 { first + Int64(segments.count) }

  /// Milliseconds that a target duration counts as at least and at most.
  static let targets: ClosedRange<Int64> = 1000...30_000

  /// The segment of a number; nil where the list does not have it.
  func segment(_ number: Int64) -> Segment? {
    number >= first && number < end ? segments[Int(number - first)] : nil
  }

  /// Milliseconds of the segments with these numbers, as far as they are known.
  func duration(of numbers: Range<Int64>) -> Int64 {
    var sum: Int64 = 0
    for number in numbers.clamped(to: first..<end) { sum += segments[Int(number - first)].duration }
    return sum
  }
}

/// Bytes at an address, all or some.
struct Part: Equatable {
  /// The address within the playlist's text.
  var reference: Range<Int>
  /// The first byte, and how many; nil for all.
  var bytes: Bytes?

  struct Bytes: Equatable {
    var offset: Int64
    var count: Int64
  }
}

/// A piece of a sound.
struct Segment: Equatable {
  var part: Part
  /// Milliseconds.
  var duration: Int64
  /// Its title within the playlist's text; empty for none.
  var title: Range<Int>
  /// Which of the maps it needs.
  var map: Int?
  /// Whether it does not follow what comes before it.
  var isDiscontinuous = false
  /// Whether it is encrypted.
  var isProtected = false
  /// Whether the server says that it has not got it.
  var isGap = false
}
