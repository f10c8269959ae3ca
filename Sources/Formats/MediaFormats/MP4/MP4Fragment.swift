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
    // Unless stated otherwise, the data of a track begins where that of the track before it ends (8.8.7.1).
    var end: Int64? = start
    for fragment in MP4Content.all("traf", in: content) {
      guard let head = MP4Content.first("tfhd", in: fragment) else { continue }
      var fields = MP4Fields(head)
      let flags = fields.takeVersion().flags
      let isWanted = fields.take(4) == Int64(track.number)
      // default-base-is-moof
      let isFromStart = flags & 0x020000 != 0
      let base = flags & 1 != 0 ? fields.take(8) : isFromStart ? start : end ?? start
      if flags & 2 != 0 { _ = fields.take(4) }
      let part = Part(
        base: base, duration: flags & 8 != 0 ? fields.take(4) : track.duration,
        size: flags & 16 != 0 ? fields.take(4) : isWanted ? track.size : nil, isWanted: isWanted)
      end = base
      for run in MP4Content.all("trun", in: fragment) {
        end = try add(run: run, of: part, from: end, atMost: limit)
      }
    }
  }

  /// Number of samples listed so far, including those of other tracks and empty ones.
  private var listed: Int64 = 0

  /// The values of a `traf` box that its runs share.
  private struct Part {
    let base: Int64
    let duration: Int64
    /// Default size of a sample; nil if it is unknown, as for other tracks.
    let size: Int64?
    let isWanted: Bool
  }

  /// Adds the packets of a `trun` box. Returns the offset at which the next one continues; nil if it is unknown.
  private mutating func add(
    run: ArraySlice<UInt8>, of part: Part, from offset: Int64?, atMost limit: Int
  ) throws(Damage) -> Int64? {
    var fields = MP4Fields(run)
    let flags = fields.takeVersion().flags
    let count = fields.take(4)
    listed += count
    guard listed <= Int64(limit) else { throw .tooMany }
    var next = offset
    if flags & 1 != 0 { next = part.base &+ Int64(Int32(truncatingIfNeeded: fields.take(4))) }
    if flags & 4 != 0 { _ = fields.take(4) }
    guard var place = next, flags & 0x200 != 0 || part.size != nil else { return nil }
    for _ in 0..<count {
      let duration = flags & 0x100 != 0 ? fields.take(4) : part.duration
      let size = flags & 0x200 != 0 ? fields.take(4) : part.size ?? 0
      if flags & 0x400 != 0 { _ = fields.take(4) }
      if flags & 0x800 != 0 { _ = fields.take(4) }
      guard place >= 0, place < 1 << 62 else { throw .offset(place) }
      if part.isWanted, size > 0 { packets.append(Packet(offset: place, size: size, duration: duration)) }
      place += size
    }
    return place
  }
}
