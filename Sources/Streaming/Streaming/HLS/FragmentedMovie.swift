// Extracts AAC frames from fragmented MP4 (ISO/IEC 14496-12, CMAF). Pure; fetcher process, in its sandbox.
// The input is untrusted; memory use is limited to the tables of one fragment.

/// Converts the first AAC track of a fragmented MP4 stream to ADTS.
struct FragmentedMovie {
  /// Maximum size of a table in bytes, and of the number of frames in it.
  static let maxTable = 1 << 20
  static let maxFrames = 1 << 16

  /// The box that the next bytes belong to.
  private enum Place {
    case header
    /// A table that is being buffered: its kind, and the number of bytes missing.
    case table(kind: UInt32, missing: Int)
    /// Content with frames, or of a box that is ignored.
    case content(missing: Int64)
  }

  private struct Frame {
    let offset: Int64
    let size: Int
  }

  private var place = Place.header
  private var gathered: [UInt8] = []
  /// File offset of the next byte, and of the last `moof` box.
  private var position: Int64 = 0
  private var tableStart: Int64 = 0
  private var track: MovieTrack?
  private var frames: ArraySlice<Frame> = []
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
        let wanted = gathered.count < 8 || Self.number(gathered[..<4]) != 1 ? 8 : 16
        move(min(bytes.count, wanted - gathered.count), of: &bytes)
        if gathered.count == wanted { try openBox() }
      case .table(let kind, let missing):
        let count = min(bytes.count, missing)
        move(count, of: &bytes)
        place = .table(kind: kind, missing: missing - count)
        if count == missing { try closeTable(kind) }
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

  /// Parses a box header: 8 bytes, or 16 if its size field is 1.
  private mutating func openBox() throws(FetchFailure) {
    let short = Self.number(gathered[..<4])
    if short == 1, gathered.count == 8 { return }
    let size = short == 1 ? Self.number(gathered[8...]) : short
    let kind = UInt32(truncatingIfNeeded: Self.number(gathered[4..<8]))
    let header = Int64(gathered.count)
    gathered = []
    // Size 0: the box extends to the end of the file.
    guard short != 0 else { return place = .content(missing: .max) }
    guard size >= header, size <= SpoolLayout.maxLength else {
      throw Self.damaged("a box has the size \(size)")
    }
    let rest = size - header
    guard kind == MovieBox.moof || kind == MovieBox.moov else {
      return place = rest == 0 ? .header : .content(missing: rest)
    }
    guard rest > 0, rest <= Int64(Self.maxTable) else {
      throw Self.damaged("a table has the size \(size)")
    }
    if kind == MovieBox.moof { tableStart = position - header }
    place = .table(kind: kind, missing: Int(rest))
  }

  private mutating func closeTable(_ kind: UInt32) throws(FetchFailure) {
    defer { (gathered, place) = ([], .header) }
    if kind == MovieBox.moov {
      track = try MovieTrack(movie: gathered[...])
    } else {
      guard let track else { throw Self.damaged("no #EXT-X-MAP says what is in them") }
      frames = try self.frames(of: track)[...]
      done = 0
    }
  }

  /// The frames of a `moof` box (sections 8.8.4 to 8.8.8).
  private func frames(of track: MovieTrack) throws(FetchFailure) -> [Frame] {
    var found: [Frame] = []
    for fragment in MovieBox.all(MovieBox.traf, in: gathered[...]) {
      guard let head = MovieBox.first(MovieBox.tfhd, in: fragment) else { continue }
      var fields = MovieFields(head)
      let flags = fields.take(4) & 0xFFFFFF
      guard fields.take(4) == Int64(track.number) else { continue }
      var base = flags & 1 != 0 ? fields.take(8) : tableStart
      guard base >= 0, base <= SpoolLayout.maxLength else { throw Self.damaged("frames lie at \(base)") }
      let start = base
      if flags & 2 != 0 { _ = fields.take(4) }
      if flags & 8 != 0 { _ = fields.take(4) }
      let usual = flags & 16 != 0 ? fields.take(4) : track.frameSize
      for run in MovieBox.all(MovieBox.trun, in: fragment) {
        base = try take(run: run, from: base, start: start, usual, &found)
      }
    }
    // Drops overlapping frames.
    var end: Int64 = 0
    return found.sorted { $0.offset < $1.offset }
      .filter { frame in
        guard frame.offset >= end else { return false }
        end = frame.offset + Int64(frame.size)
        return true
      }
  }

  /// Reads the frames of one `trun` box. Returns the offset at which the next one continues.
  private func take(
    run: ArraySlice<UInt8>, from base: Int64, start: Int64, _ usual: Int64, _ found: inout [Frame]
  ) throws(FetchFailure) -> Int64 {
    var fields = MovieFields(run)
    let flags = fields.take(4) & 0xFFFFFF
    let count = fields.take(4)
    guard count <= Int64(Self.maxFrames - found.count) else {
      throw Self.damaged("a table names too many frames")
    }
    var place = base
    if flags & 1 != 0 { place = start + Int64(Int32(truncatingIfNeeded: fields.take(4))) }
    if flags & 4 != 0 { _ = fields.take(4) }
    for _ in 0..<count {
      if flags & 0x100 != 0 { _ = fields.take(4) }
      let size = flags & 0x200 != 0 ? fields.take(4) : usual
      if flags & 0x400 != 0 { _ = fields.take(4) }
      if flags & 0x800 != 0 { _ = fields.take(4) }
      guard size <= Int64(ADTSHeader.maxFrame - ADTSHeader.size), place >= 0, place <= SpoolLayout.maxLength
      else { throw Self.damaged("a frame has the size \(size)") }
      if size > 0 { found.append(Frame(offset: place, size: Int(size))) }
      place += size
    }
    return place
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
      if done == 0 { use(track.header.bytes(frame: frame.size)[...]) }
      let first = bytes.startIndex + Int(start - position)
      let count = min(frame.size - done, bytes.endIndex - first)
      use(bytes[first..<(first + count)])
      done += count
      guard done == frame.size else { return }
      frames.removeFirst()
      done = 0
    }
  }

  static func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
    Int64(bitPattern: bytes.reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
  }

  static func damaged(_ what: String) -> FetchFailure {
    FetchFailure(sentence: "The station's segments (fMP4) are damaged: \(what).")
  }
}
