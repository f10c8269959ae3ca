// The contents of HLS playlists (HTTP Live Streaming, RFC 8216). Values; fetcher process.

/// A playlist.
enum Playlist: Equatable {
  /// A multivariant playlist: media playlists of the same content in several qualities.
  case variants([Variant])
  /// A media playlist: the segments of a stream.
  case segments(SegmentList)

  /// Maximum size of a playlist in bytes, enough for hours of short segments.
  static let maxLength = 2 << 20
  static let maxSegments = 20_000
  static let maxVariants = 128

  /// Whether a text is an HLS playlist rather than a plain M3U playlist, which may begin in the same way.
  static func isOne(_ text: ArraySlice<UInt8>) -> Bool {
    text.split { $0 == 0x0A || $0 == 0x0D }.contains { $0.starts(with: "#EXT-X-".utf8) }
  }
}

/// One quality of a stream.
struct Variant: Equatable {
  /// The reference to its playlist, unresolved.
  var reference: [UInt8]
  /// Maximum bit rate in bit/s.
  var bandwidth: Int64 = 0
  /// The value of its CODECS attribute; empty if absent.
  var codecs: [UInt8] = []
  /// Whether it contains video.
  var hasPicture = false
}

/// The segments of a media playlist.
struct SegmentList: Equatable {
  /// The text of the playlist, to which the ranges in segments refer.
  var text: [UInt8] = []
  var segments: [Segment] = []
  /// Initialisation sections (EXT-X-MAP), such as codec configuration.
  var maps: [Part] = []
  /// Target duration in milliseconds, clamped to `targets`; approximately the maximum duration of a segment.
  var target: Int64 = targets.lowerBound
  /// Media sequence number of the first segment.
  var first: Int64 = 0
  /// Whether the playlist is complete (EXT-X-ENDLIST).
  var isEnded = false
  /// The encryption method; empty if nothing is encrypted.
  var protection: [UInt8] = []

  /// The sequence number after the last segment.
  var end: Int64 { first + Int64(segments.count) }

  /// Range of target durations in milliseconds.
  static let targets: ClosedRange<Int64> = 1000...30_000

  /// The segment with a sequence number; nil if it is not in the list.
  func segment(_ number: Int64) -> Segment? {
    number >= first && number < end ? segments[Int(number - first)] : nil
  }

  /// Total duration in milliseconds of the list's segments in a range of sequence numbers.
  func duration(of numbers: Range<Int64>) -> Int64 {
    var sum: Int64 = 0
    for number in numbers.clamped(to: first..<end) { sum += segments[Int(number - first)].duration }
    return sum
  }
}

/// A resource at an address, or a byte range of it.
struct Part: Equatable {
  /// The range of the reference in the playlist's text.
  var reference: Range<Int>
  /// The byte range; nil for the whole resource.
  var bytes: Bytes?

  struct Bytes: Equatable {
    var offset: Int64
    var count: Int64
  }
}

/// A media segment.
struct Segment: Equatable {
  var part: Part
  /// Duration in milliseconds.
  var duration: Int64
  /// The range of the title in the playlist's text; may be empty.
  var title: Range<Int>
  /// Index of its initialisation section in `maps`; nil for none.
  var map: Int?
  /// Whether a discontinuity precedes it.
  var isDiscontinuous = false
  /// Whether it is encrypted.
  var isProtected = false
  /// Whether it is missing on the server (EXT-X-GAP).
  var isGap = false
}
