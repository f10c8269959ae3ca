// Movie fragments: the packets that a `moof` box lists (ISO 14496-12, 8.8). Pure.

/// A track of a fragmented file: its number, and the defaults for its packets in `mvex`.
package struct MP4FragmentedTrack: Equatable, Sendable {
  /// Identifies the track in fragments.
  package let number: UInt32
  /// Default size of a packet in bytes.
  let size: Int64
  /// Default duration of a packet in the track's time units.
  let duration: Int64

  /// Parses the boxes of a track.
  ///
  /// - Parameters:
  ///   - header: Content of the track's `tkhd` box.
  ///   - extends: Content of the movie's `mvex` box; empty if there is none.
  package init(header: ArraySlice<UInt8>, extends: ArraySlice<UInt8>) {
    var fields = MP4Fields(header)
    let isWide = fields.takeVersion().version == 1
    _ = fields.take(isWide ? 8 : 4)
    _ = fields.take(isWide ? 8 : 4)
    number = UInt32(truncatingIfNeeded: fields.take(4))
    var defaults: (duration: Int64, size: Int64) = (0, 0)
    for box in MP4Content.all("trex", in: extends) {
      var fields = MP4Fields(box)
      _ = fields.take(4)
      guard fields.take(4) == Int64(number) else { continue }
      _ = fields.take(4)
      defaults = (fields.take(4), fields.take(4))
      break
    }
    (duration, size) = defaults
  }
}

/// The packets of one track in a fragment.
package struct MP4Fragment: Equatable, Sendable {
  /// A packet: the range of its bytes in the file, and its duration.
  package struct Packet: Equatable, Sendable {
    /// Offset in the file.
    package let offset: Int64
    /// Size in bytes.
    package let size: Int64
    /// In the track's time units.
    package let duration: Int64
  }

  /// Why a fragment cannot be read.
  package enum Damage: Error, Equatable, Sendable {
    /// Packets are at an impossible offset.
    case offset(Int64)
    /// More packets than the caller's limit.
    case tooMany
  }

  /// In the order of the fragment.
  package private(set) var packets: [Packet] = []

  /// Parses the content of a `moof` box.
  ///
  /// - Parameters:
  ///   - content: The box's content.
  ///   - start: Offset in the file of the box.
  ///   - track: The track.
  ///   - limit: Maximum number of packets.
  package init(
    _ content: ArraySlice<UInt8>, at start: Int64, of track: MP4FragmentedTrack, atMost limit: Int
  ) throws(Damage) {
    for fragment in MP4Content.all("traf", in: content) {
      guard let head = MP4Content.first("tfhd", in: fragment) else { continue }
      var fields = MP4Fields(head)
      let flags = fields.takeVersion().flags
      guard fields.take(4) == Int64(track.number) else { continue }
      let base = flags & 1 != 0 ? fields.take(8) : start
      if flags & 2 != 0 { _ = fields.take(4) }
      let duration = flags & 8 != 0 ? fields.take(4) : track.duration
      let size = flags & 16 != 0 ? fields.take(4) : track.size
      var place = base
      for run in MP4Content.all("trun", in: fragment) {
        place = try add(run: run, from: place, base: base, duration: duration, size: size, atMost: limit)
      }
    }
  }

  /// Adds the packets of a `trun` box. Returns the offset at which the next one continues.
  private mutating func add(
    run: ArraySlice<UInt8>, from offset: Int64, base: Int64, duration: Int64, size: Int64, atMost limit: Int
  ) throws(Damage) -> Int64 {
    var fields = MP4Fields(run)
    let flags = fields.takeVersion().flags
    let count = fields.take(4)
    guard count <= Int64(limit - packets.count) else { throw .tooMany }
    var place = offset
    if flags & 1 != 0 { place = base &+ Int64(Int32(truncatingIfNeeded: fields.take(4))) }
    if flags & 4 != 0 { _ = fields.take(4) }
    for _ in 0..<count {
      let duration = flags & 0x100 != 0 ? fields.take(4) : duration
      let size = flags & 0x200 != 0 ? fields.take(4) : size
      if flags & 0x400 != 0 { _ = fields.take(4) }
      if flags & 0x800 != 0 { _ = fields.take(4) }
      guard place >= 0, place < 1 << 62 else { throw .offset(place) }
      if size > 0 { packets.append(Packet(offset: place, size: size, duration: duration)) }
      place += size
    }
    return place
  }
}
