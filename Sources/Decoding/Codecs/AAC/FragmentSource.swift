// Reads the AAC packets of fragmented MP4 files (ISO 14496-12, 8.8), as recorders and streams write them. The file has
// no index, so the places of fragments are recorded while reading. Worker process only.

import CodecSupport
import MediaFormats

/// The packets of the first AAC track of a fragmented file or stream.
final class FragmentSource: CountedSource {
  private struct Fragment {
    let packets: [MP4Fragment.Packet]
    /// Offset of the box after its packets.
    let next: Int64
  }

  private struct Place {
    let packet: Int64
    let offset: Int64
  }

  private let reader: BoxReader
  private let track: MP4FragmentedTrack
  /// Length of the file in bytes; `Int64.max` for a stream.
  private let end: Int64
  private(set) var packetCount: Int64?
  private(set) var position: Int64
  /// The packets of the present fragment that were not read, and the offset of the next fragment.
  private var packets: ArraySlice<MP4Fragment.Packet> = []
  private var offset: Int64
  /// Numbers of the next packet and of the next fragment.
  private var packet: Int64 = 0
  private var fragment: Int64 = 0
  private var places: SparseIndex<Place>
  /// Position and result of counting, independent of decoding.
  private var counting: (offset: Int64, packets: Int64, fragments: Int64, duration: Int64)

  /// Maximum size in bytes of a fragment's table, and of the number of packets in it.
  private static let maxTable: Int64 = 1 << 20
  private static let maxPackets = 1 << 16
  /// Number of bytes that reading a fragment's table is counted as.
  private static let tableBytes: Int64 = 32 << 10
  /// Number of bytes that are counted when a local file is opened.
  private static let scanLimit: Int64 = 16 << 20

  var next: Int64? { nil }
  var duration: Int64? { packetCount == nil ? .max : counting.duration }

  /// Opens the packets, and counts those of a local file with few fragments.
  ///
  /// - Throws: `corrupt` if the file has no fragment with packets.
  init(_ file: MP4File, _ track: MP4FragmentedTrack) throws(CodecFailure) {
    reader = file.reader
    self.track = track
    end = file.end
    offset = file.movieEnd
    position = offset
    places = SparseIndex(Place(packet: 0, offset: offset), stride: 4)
    counting = (offset, 0, 0, 0)
    guard try enter() else {
      throw CodecFailure(
        .corrupt, "The MP4 file has no packets behind its table of contents, at byte \(offset).")
    }
    try seek(to: 0)
    if end < .max, reader.input.farReads == .cheap { _ = try count(bytes: Self.scanLimit) }
  }

  func next(into buffer: UnsafeMutablePointer<UInt8>) throws(CodecFailure) -> PacketRead {
    while packets.isEmpty {
      guard try enter() else { return .end }
    }
    let next = packets.removeFirst()
    packet += 1
    position = next.offset
    guard next.offset <= end - next.size else { return .end }
    guard next.size <= Int64(PacketLimit.bytes) else { return .missing }
    guard reader.input.seek(to: next.offset) else { throw .read(at: next.offset) }
    let got = reader.input.readFully(into: buffer, count: Int(next.size))
    guard got >= 0 else { throw .read(at: next.offset) }
    return got == Int(next.size) ? .packet(got) : .end
  }

  func seek(to packet: Int64) throws(CodecFailure) {
    var known = (fragment: Int64(0), place: places.places[0])
    for (index, place) in places.places.enumerated() where place.packet <= packet {
      known = (Int64(index) * places.stride, place)
    }
    if packet < self.packet || known.place.packet > self.packet {
      (packets, offset, self.packet, fragment) = ([], known.place.offset, known.place.packet, known.fragment)
    }
    while self.packet + Int64(packets.count) <= packet {
      self.packet += Int64(packets.count)
      guard try enter() else { return packets = [] }
    }
    packets = packets.dropFirst(Int(packet - self.packet))
    self.packet = packet
  }

  func count(bytes: Int64) throws(CodecFailure) -> Int64 {
    var left = bytes
    while packetCount == nil, left > 0 {
      left -= Self.tableBytes
      let found: Fragment?
      do throws(CodecFailure) {
        found = try table(from: counting.offset)
      } catch {
        // Playback reports the damage when it gets there.
        guard error.kind == .corrupt else { throw error }
        found = nil
      }
      guard let found else {
        packetCount = counting.packets
        break
      }
      places.note(counting.fragments, at: Place(packet: counting.packets, offset: counting.offset))
      // The packets of a truncated file end where it does.
      let whole = found.packets.prefix { [end] in $0.offset <= end - $0.size }
      counting = (
        found.next, counting.packets + Int64(whole.count), counting.fragments + 1,
        whole.reduce(counting.duration) { min($0 + $1.duration, .max / 2) }
      )
      if whole.count < found.packets.count { packetCount = counting.packets }
    }
    return packetCount ?? counting.packets
  }

  /// Enters the next fragment. Returns false at the end.
  private func enter() throws(CodecFailure) -> Bool {
    guard let found = try table(from: offset) else { return false }
    places.note(fragment, at: Place(packet: packet, offset: offset))
    (packets, offset) = (found.packets[...], found.next)
    fragment += 1
    return true
  }

  /// The first fragment at or after a box.
  private func table(from start: Int64) throws(CodecFailure) -> Fragment? {
    var boxes = MP4Boxes(in: reader, from: start, to: end)
    var found: [MP4Fragment.Packet]?
    while true {
      switch try boxes.next() {
      case .end: return found.map { Fragment(packets: $0, next: end) }
      case .damaged(let place), .tooMany(let place): throw reader.broken(at: place)
      case .box(let box):
        if box.kind == UInt32(characters: "moof") {
          // A fragment without data of its own precedes this one.
          if let found { return Fragment(packets: found, next: box.offset) }
          found = try packets(in: box)
          if found == nil { return nil }
        } else if let found, box.kind == UInt32(characters: "mdat") {
          return Fragment(packets: found, next: box.end)
        }
      }
    }
  }

  /// The packets of a `moof` box; nil if the file ends within it.
  private func packets(in box: MP4Box) throws(CodecFailure) -> [MP4Fragment.Packet]? {
    guard box.count <= Self.maxTable else { throw reader.broken(at: box.offset) }
    let content = try reader.bytes(at: box.start, count: Int(box.count))
    guard Int64(content.count) == box.count else { return nil }
    do throws(MP4Fragment.Damage) {
      return try MP4Fragment(content[...], at: box.offset, of: track, atMost: Self.maxPackets).packets
    } catch {
      throw reader.broken(at: box.offset)
    }
  }
}
