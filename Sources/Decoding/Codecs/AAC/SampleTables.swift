// Locates the packets of an MP4 track by its sample tables (ISO 14496-12, 8.6 and 8.7): chunks of packets,
// and packet sizes. Worker process only.

import CodecSupport
import MediaFormats

/// The packets of a track, read in order or from any position.
struct SampleTables {
  let packetCount: Int64
  /// Sum of the packet durations in the track's time units.
  let duration: Int64
  private let isWide: Bool
  private let commonSize: Int64
  /// Nil if all packets have the common size.
  private var sizes: BoxTable?
  private var offsets: BoxTable
  private var runs: BoxTable
  private let reader: BoxReader
  private let box: MP4Box

  /// State of `next`: the packet, its chunk, the number of packets left in the chunk, and the packet's
  /// offset.
  private var packet: Int64 = 0
  private var chunk: Int64 = -1
  private var leftInChunk: Int64 = 0
  private var offset: Int64 = 0
  private var run: Int64 = 0

  /// Minimum common packet size in bytes. Prevents a small file from stating hours of audio without a size
  /// table.
  private static let minCommonSize: Int64 = 4

  /// Opens the tables of an `stbl` box.
  init(_ reader: BoxReader, _ box: MP4Box) throws(CodecFailure) {
    self.reader = reader
    self.box = box
    func table(_ name: StaticString) throws(CodecFailure) -> MP4Box {
      if let found = try reader.child(name, of: box) { return found }
      throw CodecFailure(
        .corrupt, "The MP4 track at byte \(box.start) has no table \(MP4Box.name(UInt32(characters: name))).")
    }
    if try reader.child("stz2", of: box) != nil {
      throw CodecFailure(.unsupported, "MP4 tracks with compact packet sizes (stz2) are not played.")
    }
    let sizeBox = try table("stsz")
    let sizeFields = try reader.fields(sizeBox, 12)
    commonSize = Int64(BoxReader.big(sizeFields, 4, 4))
    packetCount = Int64(BoxReader.big(sizeFields, 8, 4))
    sizes = commonSize == 0 ? try BoxTable(reader, sizeBox, width: 4, countOffset: 8) : nil
    if let narrow = try reader.child("stco", of: box) {
      isWide = false
      offsets = try BoxTable(reader, narrow, width: 4)
    } else {
      isWide = true
      offsets = try BoxTable(reader, try table("co64"), width: 8)
    }
    runs = try BoxTable(reader, try table("stsc"), width: 12)
    duration = try Self.duration(BoxTable(reader, try table("stts"), width: 8))
    if commonSize > 0 {
      let length = reader.input.length ?? .max
      guard commonSize >= Self.minCommonSize, packetCount <= length / commonSize else {
        throw CodecFailure(
          .corrupt,
          "The MP4 file states \(packetCount) packets of \(commonSize) bytes, which it does not have.")
      }
    }
  }

  private static func duration(_ times: consuming BoxTable) throws(CodecFailure) -> Int64 {
    var sum: Int64 = 0
    for row in 0..<times.count {
      let (count, length) = (try times.number(row), try times.number(row, column: 4))
      // 64 rows of maximum values would overflow.
      let (total, isOver) = sum.addingReportingOverflow(count * min(length, 1 << 30))
      guard !isOver else { return .max }
      sum = total
    }
    return sum
  }

  /// Returns offset and size of the next packet, and advances; nil at the end.
  mutating func next() throws(CodecFailure) -> (offset: Int64, bytes: Int64)? {
    guard packet < packetCount else { return nil }
    if leftInChunk == 0 { try enterChunk() }
    let bytes = try size(packet)
    defer {
      packet += 1
      leftInChunk -= 1
      offset &+= bytes
    }
    return (offset, bytes)
  }

  /// Makes a packet the next one.
  mutating func seek(to target: Int64) throws(CodecFailure) {
    packet = target
    guard target < packetCount else { return }
    // Finds the run of chunks that contains it.
    var first: Int64 = 0
    for row in 0..<runs.count {
      let (start, perChunk, chunks) = try chunks(ofRun: row)
      let held = perChunk * chunks
      guard target - first < held else {
        first += held
        continue
      }
      let within = (target - first) / perChunk
      (run, chunk) = (row, start + within)
      let before = (target - first) % perChunk
      leftInChunk = perChunk - before
      offset = try offsets.number(chunk, bytes: isWide ? 8 : 4)
      for other in (target - before)..<target { offset &+= try size(other) }
      return
    }
    throw reader.broken(at: box.start)
  }

  private mutating func enterChunk() throws(CodecFailure) {
    chunk += 1
    var (start, perChunk, chunks) = try chunks(ofRun: run)
    while chunk >= start + chunks {
      run += 1
      (start, perChunk, chunks) = try self.chunks(ofRun: run)
    }
    leftInChunk = perChunk
    offset = try offsets.number(chunk, bytes: isWide ? 8 : 4)
  }

  /// The first chunk of a run, the packets per chunk, and the number of chunks.
  private mutating func chunks(ofRun row: Int64) throws(CodecFailure) -> (Int64, Int64, Int64) {
    let start = try runs.number(row) - 1
    let perChunk = min(try runs.number(row, column: 4), max(1, packetCount))
    let next = row + 1 < runs.count ? try runs.number(row + 1) - 1 : offsets.count
    guard start >= 0, next > start, next <= offsets.count, perChunk > 0 else {
      throw reader.broken(at: box.start)
    }
    return (start, perChunk, next - start)
  }

  private mutating func size(_ packet: Int64) throws(CodecFailure) -> Int64 {
    try sizes?.number(packet) ?? commonSize
  }
}
