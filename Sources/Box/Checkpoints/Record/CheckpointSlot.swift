// Encodes a checkpoint into one 512-byte slot of the checkpoint file, which is written with a single write.
// Pure; any thread but the audio thread.

import PlaybackModel

/// A reference from a slot to its queue: generation, checksum and location.
struct QueueReference: Hashable, Sendable {
  /// A number that increases with every queue written.
  var generation: UInt64
  /// The checksum of the queue's body.
  var content: UInt64
  /// The encoded length, including the header.
  var byteCount: Int
  var area: Int
}

/// An encoded checkpoint of at most 512 bytes, little-endian: "SwCP", version, length, sequence number; the
/// queue's generation, checksum, length and area; the checkpoint; and a CRC-64 of all preceding bytes. Most
/// numbers have variable length, so that a typical slot takes about 65 bytes. In version 1 numbers have their
/// full width, the length is zero, and zeros fill the sector up to the CRC-64.
struct CheckpointSlot: Hashable, Sendable {
  /// The bytes reserved for a slot: one sector.
  static let byteCount = 512
  static let checksumBytes = 8
  static let highestRate = 1_000_000
  private static let magic: UInt64 = 0x5043_7753
  private static let version: UInt64 = 2
  private static let paddedVersion: UInt64 = 1
  private static let lengthStart = 6

  /// The number that orders slots by age.
  let sequence: UInt64
  /// Nil if no queue had been written.
  let queue: QueueReference?
  private let bodyStart: Int
  private let isPadded: Bool
  /// The encoded slot, without the rest of the sector.
  let bytes: [UInt8]

  /// Encodes a checkpoint.
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

  /// Reads a slot from a sector and verifies its header and checksum; the checkpoint is not decoded yet.
  ///
  /// - Parameters:
  ///   - sector: The bytes of the sector.
  ///   - checksIntegrity: False for the fuzzer, which cannot guess checksums.
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

  /// The length of a slot from its header fields; nil if they are invalid.
  private static func length(_ written: Int, _ version: UInt64) -> Int? {
    switch version {
    case Self.version: (checksumBytes...byteCount).contains(written) ? written : nil
    case paddedVersion: written == 0 ? byteCount : nil
    default: nil
    }
  }

  /// The slot's checksum, which also identifies it.
  var checksum: UInt64 {
    var trailer = ByteReader(bytes, from: bytes.count - Self.checksumBytes)
    return (try? trailer.number(Self.checksumBytes)) ?? 0
  }

  /// Decodes the checkpoint.
  ///
  /// - Parameter tracks: Returns the track with an id, or nil.
  /// - Throws: `Malformed` for invalid data, or for a track that is not found.
  func checkpoint(_ tracks: (UInt64) -> Track?) throws(Malformed) -> Checkpoint {
    var reader = ByteReader(bytes, from: bodyStart, to: bytes.count - Self.checksumBytes)
    reader.isPadded = isPadded
    return try reader.checkpoint(tracks)
  }
}

/// Conversion of a sleep timer's remaining time to a 32-bit number of milliseconds.
enum SleepRest {
  /// 0 means no timer, so the remaining time of a running timer is at least 1.
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
    // An optional trailing field: earlier versions end here.
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
