// A checkpoint as bytes that fit into one sector of the file, written by a single write. Pure; any thread but the audio thread.

import PlaybackModel

/// Which queue a slot belongs to: its generation, its checksum and where it lies.
struct QueueReference: Hashable, Sendable {
  /// Counted up with every queue that is written.
  var generation: UInt64
  /// The checksum of the queue's body.
  var content: UInt64
  /// The length of the written form, header included.
  var byteCount: Int
  var area: Int
}

/// The written form of a checkpoint, at most 512 bytes, little-endian: "SwCP", version, length, sequence; the
/// queue's generation, checksum, length and area; then the checkpoint; and the CRC-64 of all that. Most numbers are compact, so that
/// what is played takes some 65 bytes. In version 1 they have all their bytes, the length is zero, and zeros fill the sector up to
/// the CRC-64.
struct CheckpointSlot: Hashable, Sendable {
  /// The place of a slot: a sector.
  static let byteCount = 512
  static let checksumBytes = 8
  static let highestRate = 1_000_000
  private static let magic: UInt64 = 0x5043_7753
  private static let version: UInt64 = 2
  private static let paddedVersion: UInt64 = 1
  private static let lengthStart = 6

  /// What the slots are ordered by.
  let sequence: UInt64
  /// Nil before there was any queue.
  let queue: QueueReference?
  private let bodyStart: Int
  private let isPadded: Bool
  /// What is written, without what follows in the sector.
  let bytes: [UInt8]

  /// Writes a checkpoint.
  init(_ checkpoint: Checkpoint, sequence: UInt64, queue: QueueReference?) {
    self.sequence = sequence
    self.queue = queue
    var writer = ByteWriter()
    writer.number(Self.magic, 4)
    writer.number(Self.version, 2)
    writer.number(0, 2)
    writer.compact(sequence)
    writer.compact(queue?.generation ?? 0)
    writer.number(queue?.content ?? 0, 8)
    writer.compact(UInt64(queue?.byteCount ?? 0))
    writer.compact(UInt64(queue?.area ?? 0))
    bodyStart = writer.bytes.count
    isPadded = false
    writer.checkpoint(checkpoint)
    let length = writer.bytes.count + Self.checksumBytes
    precondition(length <= Self.byteCount, "a checkpoint fits into its slot")
    writer.replace(at: Self.lengthStart, with: UInt64(length), 2)
    writer.number(Checksum.of(writer.bytes), Self.checksumBytes)
    bytes = writer.bytes
  }

  /// Takes a slot from the sector that was read, if it is whole; what it holds is not looked at yet. `checksIntegrity` is
  /// for the fuzzer, which cannot guess checksums.
  init?(bytes sector: [UInt8], checksIntegrity: Bool = true) {
    var reader = ByteReader(sector)
    guard let magic = try? reader.number(4), let version = try? reader.number(2), magic == Self.magic,
      let written = try? reader.integer(2), let length = Self.length(written, version),
      length <= sector.count
    else { return nil }
    isPadded = version == Self.paddedVersion
    reader.isPadded = isPadded
    guard let sequence = try? reader.compact(padded: 8), let generation = try? reader.compact(padded: 8),
      let content = try? reader.number(8), let byteCount = try? reader.compact(padded: 8),
      let area = try? reader.compact(padded: 8), reader.position <= length - Self.checksumBytes
    else { return nil }
    bodyStart = reader.position
    guard sequence >= 1, sequence < 1 << 62, generation < 1 << 62, byteCount < 1 << 30, area < 16 else {
      return nil
    }
    bytes = Array(sector[..<length])
    self.sequence = sequence
    queue =
      generation == 0
      ? nil
      : QueueReference(
        generation: generation, content: content, byteCount: Int(byteCount), area: Int(area))
    guard !checksIntegrity || checksum == Checksum.of(bytes[..<(length - Self.checksumBytes)]) else {
      return nil
    }
  }

  /// How many bytes a slot has that says so of itself; nil where that cannot be.
  private static func length(_ written: Int, _ version: UInt64) -> Int? {
    switch version {
    case Self.version: (checksumBytes...byteCount).contains(written) ? written : nil
    case paddedVersion: written == 0 ? byteCount : nil
    default: nil
    }
  }

  /// What tells this slot from all others.
  var checksum: UInt64 {
    var trailer = ByteReader(bytes, from: bytes.count - Self.checksumBytes)
    return (try? trailer.number(Self.checksumBytes)) ?? 0
  }

  /// The checkpoint in it; `tracks` gives the track that has an id.
  func checkpoint(_ tracks: (UInt64) -> Track?) throws(Malformed) -> Checkpoint {
    var reader = ByteReader(bytes, from: bodyStart, to: bytes.count - Self.checksumBytes)
    reader.isPadded = isPadded
    return try reader.checkpoint(tracks)
  }
}

/// What is left of a sleep timer, in four bytes of milliseconds.
enum SleepRest {
  /// 0 is none; a timer about to fire keeps its last.
  static func milliseconds(_ rest: Seconds?) -> UInt64 {
    guard let rest else { return 0 }
    return UInt64(max((rest.value > 0 ? min(rest.value * 1000, 4e9) : 0).rounded(), 1))
  }

  static func seconds(_ milliseconds: UInt64) -> Seconds? {
    milliseconds == 0 ? nil : Seconds(Double(min(milliseconds, 4_000_000_000)) / 1000)
  }
}

extension ByteWriter {
  fileprivate mutating func checkpoint(_ checkpoint: Checkpoint) {
    compact(UInt64(min(checkpoint.rate.hertz, CheckpointSlot.highestRate)))
    number(checkpoint.volume.percent.bitPattern, 4)
    compact(SleepRest.milliseconds(checkpoint.sleepTimer))
    let cursor = checkpoint.cursor
    compact(UInt64(min(max(cursor.place, 0), PlayQueue.limit)))
    flag(cursor.isOnEntry)
    compact(cursor.id ?? 0)
    byte(cursor.repeatMode.rawValue)
    byte(cursor.endOfQueue.rawValue)
    moment(checkpoint.moment)
    state(checkpoint.state)
    // Behind all that slots had before there were any.
    if let point = cursor.stopPoint { byte(point.rawValue) }
  }
}

extension ByteReader {
  fileprivate mutating func checkpoint(_ tracks: (UInt64) -> Track?) throws(Malformed) -> Checkpoint {
    let hertz = Int(clamping: try compact(padded: 4))
    guard hertz >= 1, hertz <= CheckpointSlot.highestRate else {
      throw Malformed("the rate is out of bounds")
    }
    let volume = Volume(Float(bitPattern: UInt32(truncatingIfNeeded: try number(4))))
    let sleepTimer = SleepRest.seconds(try compact(padded: 4))
    var cursor = PlayQueue.Cursor()
    cursor.place = Int(clamping: try compact(padded: 4))
    guard cursor.place <= PlayQueue.limit else { throw Malformed("the place is out of bounds") }
    cursor.isOnEntry = try flag()
    let id = try compact(padded: 8)
    cursor.id = id == 0 ? nil : id
    cursor.repeatMode = try choice(RepeatMode.self, "repeat mode")
    cursor.endOfQueue = try choice(EndOfQueue.self, "end of queue")
    let moment = try moment()
    let state = try state(tracks)
    if !isPadded, rest > 0 { cursor.stopPoint = try choice(StopPoint.self, "stop point") }
    return Checkpoint(
      state: state, moment: moment, rate: SampleRate(hertz), volume: volume,
      sleepTimer: sleepTimer, cursor: cursor)
  }
}
