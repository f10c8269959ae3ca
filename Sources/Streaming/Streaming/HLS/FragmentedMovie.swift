// Extracts AAC frames from fragmented MP4 (ISO/IEC 14496-12, CMAF). Pure; fetcher process, in its sandbox.
// The input is untrusted; memory use is limited to the tables of one fragment.

import MediaFormats

/// Converts the first AAC track of a fragmented MP4 stream to ADTS.
struct FragmentedMovie {
  /// Maximum size of a table in bytes, and of the number of frames in it.
  static let maxTable = 1 << 20
  static let maxFrames = 1 << 16

  /// The box that the next bytes belong to.
  private enum Place {
    case header
    /// A table that is being buffered: `moof` or `moov`, and the number of bytes missing.
    case table(isFragment: Bool, missing: Int)
    /// Content with frames, or of a box that is ignored.
    case content(missing: Int64)
  }

  private var place = Place.header
  private var gathered: [UInt8] = []
  /// File offset of the next byte, and of the last `moof` box.
  private var position: Int64 = 0
  private var tableStart: Int64 = 0
  private var track: MovieTrack?
  private var frames: ArraySlice<MP4Fragment.Packet> = []
  /// Bytes of the first frame that were already output.
  private var done = 0

  /// Starts a segment.
  ///
  /// - Parameter offset: Offset of its first byte in the file.
  mutating func begin(at offset: Int64) {
    (place, gathered, position, frames, done) = (.header, [], offset, [], 0)
  }

  /// Processes bytes, and passes ADTS frames to `use`.
  mutating func take(_ bytes: UnsafeRawBufferPointer, to use: (ArraySlice<UInt8>) -> Void)
    throws(FetchFailure)
  {
    var bytes = Array(bytes)[...]
    while !bytes.isEmpty {
      switch place {
      case .header:
        let wanted = gathered.count < 8 ? 8 : MP4BoxHeader.maxSize
        move(min(bytes.count, wanted - gathered.count), of: &bytes)
        if gathered.count == wanted { try openBox() }
      case .table(let isFragment, let missing):
        let count = min(bytes.count, missing)
        move(count, of: &bytes)
        place = .table(isFragment: isFragment, missing: missing - count)
        if count == missing { try closeTable(isFragment: isFragment) }
      case .content(let missing):
        let count = Int(min(Int64(bytes.count), missing))
        hand(on: bytes.prefix(count), use)
        position += Int64(count)
        bytes = bytes.dropFirst(count)
        place = Int64(count) == missing ? .header : .content(missing: missing - Int64(count))
      }
    }
  }

  private mutating func move(_ count: Int, of bytes: inout ArraySlice<UInt8>) {
    gathered += bytes.prefix(count)
    position += Int64(count)
    bytes = bytes.dropFirst(count)
  }

  /// Parses a box header, unless its second half is missing.
  private mutating func openBox() throws(FetchFailure) {
    let header: MP4BoxHeader
    switch MP4BoxHeader.read(gathered[...]) {
    case .incomplete: return
    case .damaged: throw Self.damaged("a box has an impossible size")
    case .header(let found): header = found
    }
    gathered = []
    // The box extends to the end of the file.
    guard let size = header.size else { return place = .content(missing: .max) }
    guard size <= SpoolLayout.maxLength else { throw Self.damaged("a box has the size \(size)") }
    let rest = size - header.headerSize
    let isFragment = header.kind == UInt32(characters: "moof")
    guard isFragment || header.kind == UInt32(characters: "moov") else {
      return place = rest == 0 ? .header : .content(missing: rest)
    }
    guard rest > 0, rest <= Int64(Self.maxTable) else {
      throw Self.damaged("a table has the size \(size)")
    }
    if isFragment { tableStart = position - header.headerSize }
    place = .table(isFragment: isFragment, missing: Int(rest))
  }

  private mutating func closeTable(isFragment: Bool) throws(FetchFailure) {
    defer { (gathered, place) = ([], .header) }
    guard isFragment else { return track = try MovieTrack(movie: gathered[...]) }
    guard let track else { throw Self.damaged("no #EXT-X-MAP says what is in them") }
    frames = try self.frames(of: track)[...]
    done = 0
  }

  /// The frames of a `moof` box, by their offsets, without those that overlap others.
  private func frames(of track: MovieTrack) throws(FetchFailure) -> [MP4Fragment.Packet] {
    let fragment: MP4Fragment
    do throws(MP4Fragment.Damage) {
      fragment = try MP4Fragment(
        gathered[...], at: tableStart, of: track.fragments, atMost: Self.maxFrames)
    } catch {
      switch error {
      case .offset(let offset): throw Self.damaged("frames lie at \(offset)")
      case .tooMany: throw Self.damaged("a table names too many frames")
      }
    }
    for frame in fragment.packets {
      guard frame.size <= Int64(ADTSHeader.maxFrame - ADTSHeader.size) else {
        throw Self.damaged("a frame has the size \(frame.size)")
      }
      guard frame.offset <= SpoolLayout.maxLength else { throw Self.damaged("frames lie at \(frame.offset)") }
    }
    var end: Int64 = 0
    return fragment.packets.sorted { $0.offset < $1.offset }
      .filter { frame in
        guard frame.offset >= end else { return false }
        end = frame.offset + frame.size
        return true
      }
  }

  /// Passes the parts of frames in bytes at the present position to `use`.
  private mutating func hand(on bytes: ArraySlice<UInt8>, _ use: (ArraySlice<UInt8>) -> Void) {
    guard let track else { return }
    let end = position + Int64(bytes.count)
    while let frame = frames.first {
      let start = frame.offset + Int64(done)
      // The beginning of the frame precedes the present position, so it is lost.
      guard start >= max(position, frame.offset) else {
        frames.removeFirst()
        done = 0
        continue
      }
      guard start < end else { return }
      let size = Int(frame.size)
      if done == 0 { use(track.encoder.header(frame: size)[...]) }
      let first = bytes.startIndex + Int(start - position)
      let count = min(size - done, bytes.endIndex - first)
      use(bytes[first..<(first + count)])
      done += count
      guard done == size else { return }
      frames.removeFirst()
      done = 0
    }
  }

  static func damaged(_ what: String) -> FetchFailure {
    FetchFailure(sentence: "The station's segments (fMP4) are damaged: \(what).")
  }
}
