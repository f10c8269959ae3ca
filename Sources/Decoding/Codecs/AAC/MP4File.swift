// The table of contents of an MP4 file (moov): the AAC track and the tags. Worker process only.

import CodecSupport
import MediaFormats

/// An MP4 file with AAC.
struct MP4File {
  let reader: BoxReader
  let track: MP4Track
  /// Encoder delay and padding from the tags; nil if absent.
  let gapless: GaplessTag?
  /// Offset of the first byte after `moov`.
  let movieEnd: Int64
  /// Length of the file in bytes; `Int64.max` for a stream.
  let end: Int64

  /// Maximum size in bytes of the table of contents of a stream, which is kept in memory.
  private static let maxMovie: Int64 = 8 << 20

  /// Probes for MP4 with audio. Returns a score of 0 to 100.
  static func score(_ bytes: Bytes) -> Int32 {
    if hasMagic(bytes, "ftyp", at: 4) {
      for brand in ["M4A ", "M4B ", "M4P "] as [StaticString] where hasMagic(bytes, brand, at: 8) {
        return 100
      }
      return 90
    }
    // Files from before `ftyp` was defined.
    for first in ["moov", "mdat", "wide", "free", "skip", "pnot"] as [StaticString]
    where hasMagic(bytes, first, at: 4) { return 45 }
    return 0
  }

  /// Finds the track and reads the tags.
  init(_ input: MediaInput, _ description: StreamDescription) throws(CodecFailure) {
    let isStream = input.length == nil
    end = input.length ?? .max
    var reader = BoxReader(input)
    var movie: MP4Box?
    try reader.forEach(from: 0, to: end) { (box) throws(CodecFailure) in
      switch box.kind {
      case UInt32(characters: "moov"): movie = box
      case UInt32(characters: "moof"):
        throw CodecFailure(
          .unsupported,
          "The MP4 file begins with a fragment: its table of contents (moov) is in another file.")
      case UInt32(characters: "mdat") where isStream:
        throw CodecFailure(
          .unsupported,
          "The table of contents (moov) of this MP4 stream is at its end, which cannot be reached: the server states no length, "
            + "or serves no ranges and the file exceeds stream.spool; download the file to play it.")
      default: break
      }
      return movie == nil
    }
    guard let movie else {
      throw CodecFailure(
        .corrupt, "The MP4 file has no table of contents (moov) up to byte \(end); its end may be missing.")
    }
    if isStream {
      guard movie.count <= Self.maxMovie else {
        throw CodecFailure(
          .unsupported,
          "The table of contents (moov) of this MP4 stream has \(movie.count) bytes; \(Self.maxMovie) are read."
        )
      }
      try reader.keep(from: movie.start, to: movie.end)
    }
    track = try MP4Track(reader, movie: movie)
    gapless = try MP4Tags(reader, movie: movie, into: description).gapless
    self.reader = reader
    movieEnd = movie.end
  }
}
