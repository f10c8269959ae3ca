// A checkpoint as one sector of the file, written by a single write. Pure; any thread but the audio thread.

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

/// The written form of a checkpoint, 512 bytes, little-endian: "SwCP", version, zero, sequence; the
/// queue's generation, checksum, length and area; then the checkpoint; zeros; and the CRC-64 of all that.
struct CheckpointSlot: Hashable, Sendable {
  static let byteCount = 512
  static let highestRate = 1_000_000
  private static let magic: UInt64 = 0x5043_7753
  private static let version: UInt64 = 1
  private static let bodyStart = 48

  /// What the slots are ordered by.
  let sequence: UInt64
  /// Nil before there was any queue.
  let queue: QueueReference?
  private let bytes: [UInt8]

  /// Writes a checkpoint.
  init(_ checkpoint: Checkpoint, sequence: UInt64, queue: QueueReference?) {
    self.sequence = sequence
    self.queue = queue
    var writer = ByteWriter()
    writer.number(Self.magic, 4)
    writer.number(Self.version, 2)
    writer.number(0, 2)
    writer.number(sequence, 8)
    writer.number(queue?.generation ?? 0, 8)
    writer.number(queue?.content ?? 0, 8)
    writer.number(queue?.byteCount ?? 0, 8)
    writer.number(queue?.area ?? 0, 8)
    writer.checkpoint(checkpoint)
    precondition(writer.bytes.count <= Self.byteCount - 8, "a checkpoint fits into its slot")
    writer.pad(to: Self.byteCount - 8)
    writer.number(Checksum.of(writer.bytes), 8)
    bytes = writer.bytes
  }

  /// Takes a slot that was read, if it is whole; what it holds is not looked at yet. `checksIntegrity` is
  /// for the fuzzer, which cannot guess checksums.
  init?(bytes: [UInt8], checksIntegrity: Bool = true) {
    guard bytes.count == Self.byteCount else { return nil }
    var reader = ByteReader(bytes)
    guard let magic = try? reader.number(4), let version = try? reader.number(2), magic == Self.magic,
      version == Self.version, let zero = try? reader.number(2), zero == 0,
      let sequence = try? reader.number(8), let generation = try? reader.number(8),
      let content = try? reader.number(8), let byteCount = try? reader.number(8),
      let area = try? reader.number(8)
    else { return nil }
    guard sequence >= 1, sequence < 1 << 62, generation < 1 << 62, byteCount < 1 << 30, area < 16 else {
      return nil
    }
    if checksIntegrity {
      var trailer = ByteReader(bytes, from: Self.byteCount - 8)
      guard let stored = try? trailer.number(8), stored == Checksum.of(bytes[..<(Self.byteCount - 8)]) else {
        return nil
      }
    }
    self.sequence = sequence
    queue =
      generation == 0
      ? nil
      : QueueReference(
        generation: generation, content: content, byteCount: Int(byteCount), area: Int(area))
    self.bytes = bytes
  }

  /// The sector.
  var sector: [UInt8] { bytes }

  /// The checkpoint in it; `tracks` gives the track that has an id.
  func checkpoint(_ tracks: (UInt64) -> Track?) throws(Malformed) -> Checkpoint {
    var reader = ByteReader(bytes, from: Self.bodyStart, to: Self.byteCount - 8)
    return try reader.checkpoint(tracks)
  }
}

extension ByteWriter {
  fileprivate mutating func checkpoint(_ checkpoint: Checkpoint) {
    number(min(checkpoint.rate.hertz, CheckpointSlot.highestRate), 4)
    number(checkpoint.volume.percent.bitPattern, 4)
    // 0 is none; a timer about to fire keeps its last millisecond.
    let rest = checkpoint.sleepTimer.map { $0.value > 0 ? min($0.value * 1000, 4e9) : 0 }
    number(UInt64(rest.map { max($0.rounded(), 1) } ?? 0), 4)
    let cursor = checkpoint.cursor
    number(min(max(cursor.place, 0), PlayQueue.limit), 4)
    flag(cursor.isOnEntry)
    number(cursor.id ?? 0, 8)
    byte(cursor.repeatMode.rawValue)
    byte(cursor.endOfQueue.rawValue)
    moment(checkpoint.moment)
    state(checkpoint.state)
  }
}

extension ByteReader {
  fileprivate mutating func checkpoint(_ tracks: (UInt64) -> Track?) throws(Malformed) -> Checkpoint {
    let hertz = try integer(4)
    guard hertz >= 1, hertz <= CheckpointSlot.highestRate else {
      throw Malformed("the rate is out of bounds")
    }
    let volume = Volume(Float(bitPattern: UInt32(truncatingIfNeeded: try number(4))))
    let rest = try number(4)
    var cursor = PlayQueue.Cursor()
    cursor.place = try integer(4)
    guard cursor.place <= PlayQueue.limit else { throw Malformed("the place is out of bounds") }
    cursor.isOnEntry = try flag()
    let id = try number(8)
    cursor.id = id == 0 ? nil : id
    cursor.repeatMode = try choice(RepeatMode.self, "repeat mode")
    cursor.endOfQueue = try choice(EndOfQueue.self, "end of queue")
    let moment = try moment()
    let state = try state(tracks)
    return Checkpoint(
      state: state, moment: moment, rate: SampleRate(hertz), volume: volume,
      sleepTimer: rest == 0 ? nil : Seconds(Double(rest) / 1000), cursor: cursor)
  }
}
