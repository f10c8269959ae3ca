// The AAC track of an MP4 file (ISO 14496-12, ISO 14496-14): decoder configuration, sample tables and edit
// list. Worker process only.

import CodecSupport
import MediaFormats

/// A track with AAC audio.
struct MP4Track {
  /// The decoder's configuration (AudioSpecificConfig).
  let configuration: [UInt8]
  /// Time units per second, for packet durations and `edit`.
  let timeScale: Int64
  /// Empty if the file is fragmented.
  let tables: SampleTables
  /// The track of a fragmented file; nil for other files.
  let fragments: MP4FragmentedTrack?
  /// The `trak` box.
  let box: MP4Box
  /// The range to play in time units; nil for the whole track.
  let edit: MP4Edit?

  /// Finds the first AAC track in a `moov` box.
  init(_ reader: BoxReader, movie: MP4Box) throws(CodecFailure) {
    let header = try Self.needed("mvhd", reader.child("mvhd", of: movie), in: movie)
    let movieScale = try Self.timeScale(reader, header)
    var found: MP4Track?
    // If no track can be played, an unsupported audio track gives the error, rather than the absence of
    // audio.
    var refusal = CodecFailure(.unsupported, "The MP4 file holds no sound.")
    try reader.forEach(from: movie.start, to: movie.end) { (box) throws(CodecFailure) in
      guard box.kind == UInt32(characters: "trak"), let media = try reader.child("mdia", of: box),
        let handler = try reader.child("hdlr", of: media),
        BoxReader.big(try reader.fields(handler, 12), 8, 4) == UInt64(UInt32(characters: "soun"))
      else { return true }
      do throws(CodecFailure) {
        found = try MP4Track(reader, track: box, media: media, movie: movie, movieScale: movieScale)
      } catch {
        guard error.kind == .unsupported else { throw error }
        refusal = error
      }
      return found == nil
    }
    guard let found else { throw refusal }
    self = found
  }

  private init(
    _ reader: BoxReader, track: MP4Box, media: MP4Box, movie: MP4Box, movieScale: Int64
  ) throws(CodecFailure) {
    let header = try Self.needed("mdhd", reader.child("mdhd", of: media), in: media)
    timeScale = try Self.timeScale(reader, header)
    let information = try Self.needed("minf", reader.child("minf", of: media), in: media)
    let box = try Self.needed("stbl", reader.child("stbl", of: information), in: information)
    let descriptions = try Self.needed("stsd", reader.child("stsd", of: box), in: box)
    configuration = try SampleEntry.configuration(reader, descriptions)
    tables = try SampleTables(reader, box)
    self.box = track
    if tables.packetCount == 0, let extends = try reader.child("mvex", of: movie),
      let head = try reader.child("tkhd", of: track)
    {
      fragments = MP4FragmentedTrack(
        header: try reader.content(head, atMost: 64)[...],
        extends: try reader.content(extends, atMost: 1 << 16)[...])
    } else {
      fragments = nil
    }
    var edit: MP4Edit?
    if let edits = try reader.child("edts", of: track), let list = try reader.child("elst", of: edits) {
      edit = try MP4Edit(
        reader, list, timeScale: timeScale, movieScale: movieScale,
        duration: fragments == nil ? tables.duration : .max)
    }
    self.edit = edit
  }

  private static func needed(_ name: StaticString, _ box: MP4Box?, in parent: MP4Box) throws(CodecFailure)
    -> MP4Box
  {
    if let box { return box }
    throw CodecFailure(
      .corrupt,
      "The MP4 box at byte \(parent.offset) has no box \(MP4Box.name(UInt32(characters: name))) in it.")
  }

  /// The time scale of an `mvhd` or `mdhd` box.
  private static func timeScale(_ reader: BoxReader, _ box: MP4Box) throws(CodecFailure) -> Int64 {
    let isLong = try reader.fields(box, 4)[0] == 1
    let fields = try reader.fields(box, isLong ? 24 : 16)
    let scale = Int64(BoxReader.big(fields, isLong ? 20 : 12, 4))
    guard scale > 0 else { throw reader.broken(at: box.offset) }
    return scale
  }
}

/// The range of a track that its edit list (ISO 14496-12, 8.6.6) selects. Some encoders state their delay
/// there.
struct MP4Edit {
  /// First time unit to play.
  let start: Int64
  /// The time unit after the last one to play.
  let end: Int64

  /// Parses an edit list. Several edits are merged to the range from the first one's start to the last one's
  /// end. Nil if no edit selects media.
  init?(
    _ reader: BoxReader, _ box: MP4Box, timeScale: Int64, movieScale: Int64, duration: Int64
  ) throws(CodecFailure) {
    let isLong = try reader.fields(box, 4)[0] == 1
    let word = isLong ? 8 : 4
    var list = try BoxTable(reader, box, width: 2 * word + 4)
    var (first, last): (Int64?, Int64) = (nil, 0)
    for row in 0..<min(list.count, 4096) {
      let length = try list.number(row, bytes: word)
      let place = try list.number(row, column: word, bytes: word)
      // An empty edit has the start -1.
      if place == (isLong ? .max : 0xFFFF_FFFF) { continue }
      first = first ?? place
      last = max(last, Self.end(of: length, from: place, timeScale, movieScale, duration))
    }
    guard let first, first <= duration else { return nil }
    start = first
    end = min(max(last, first), duration)
  }

  /// The end of an edit in the track's time scale. Lengths are in the movie's time scale, which may be
  /// coarser than a frame, so an end that differs from the track's by rounding only is the track's. A length
  /// of 0 means the rest of the track.
  private static func end(
    of length: Int64, from place: Int64, _ timeScale: Int64, _ movieScale: Int64, _ duration: Int64
  ) -> Int64 {
    guard length > 0, length < 1 << 30, place <= duration, place < 1 << 60 else { return duration }
    let rounded = place + (length * timeScale + movieScale / 2) / movieScale
    let unit = movieScale % timeScale == 0 ? 0 : timeScale / movieScale + 1
    return abs(rounded - duration) <= unit ? duration : rounded
  }
}
