// A position note: the change of position since the last checkpoint slot, in a few bytes. Pure; any thread
// but the audio thread.

import PlaybackModel

/// A position update for a slot: 28 bytes, little-endian. The checksum of the slot, which identifies it; the
/// note's number among the slot's notes; the position; the sleep timer's remaining time; and a CRC-64 of all
/// preceding bytes.
struct PositionNote: Hashable, Sendable {
  static let byteCount = 28
  /// The most notes for one slot. If a slot is damaged, its notes are lost, too; this bounds the loss to five
  /// minutes at one note every ten seconds.
  static let maxCount = 30

  /// The checksum of the slot, which identifies it.
  let slot: UInt64
  /// The note's number, from 1 for each slot.
  let number: Int
  let position: Frames
  let sleepTimer: Seconds?

  /// Creates a note for a checkpoint that differs from its slot only in the note's fields.
  init(_ checkpoint: Checkpoint, after slot: CheckpointSlot, number: Int) {
    self.slot = slot.checksum
    self.number = number
    position = checkpoint.moment.current
    sleepTimer = checkpoint.sleepTimer
  }

  /// Decodes a note and verifies its checksum.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of the note.
  ///   - checksIntegrity: False for the fuzzer, which cannot guess checksums.
  init?(bytes: ArraySlice<UInt8>, checksIntegrity: Bool = true) {
    guard bytes.count == Self.byteCount else { return nil }
    var reader = ByteReader(Array(bytes))
    do throws(Malformed) {
      slot = try reader.number(8)
      number = try reader.integer(1)
      let position = try reader.number(7)
      guard (1...Self.maxCount).contains(number), position <= UInt64(Frames.maxLength.count) else {
        return nil
      }
      self.position = Frames(Int64(position))
      sleepTimer = SleepRest.seconds(try reader.number(4))
      let checksum = try reader.number(CheckpointSlot.checksumBytes)
      guard !checksIntegrity || checksum == Checksum.of(bytes.dropLast(CheckpointSlot.checksumBytes)) else {
        return nil
      }
    } catch {
      return nil
    }
  }

  /// The encoded note.
  var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.number(slot, 8)
    writer.number(number, 1)
    writer.number(min(max(position, .zero), .maxLength).count, 7)
    writer.number(SleepRest.milliseconds(sleepTimer), 4)
    writer.number(Checksum.of(writer.bytes), CheckpointSlot.checksumBytes)
    return writer.bytes
  }

  /// Applies the note to its slot's checkpoint.
  func added(to checkpoint: Checkpoint) -> Checkpoint {
    var moved = checkpoint
    moved.moment.current = position
    moved.sleepTimer = sleepTimer
    return moved
  }
}

/// The slot to which new notes refer.
struct NotedSlot {
  let slot: CheckpointSlot
  private let checkpoint: Checkpoint
  private let queue: QueueReference?
  /// The number of its last note.
  var notes = 0

  init(_ slot: CheckpointSlot, holding checkpoint: Checkpoint) {
    self.slot = slot
    self.checkpoint = checkpoint
    queue = slot.queue
  }

  /// The note for a later checkpoint; nil if it needs a slot, because more than the position has changed or
  /// the slot has too many notes.
  func note(of later: Checkpoint, queue laterQueue: QueueReference?) -> PositionNote? {
    guard notes < PositionNote.maxCount, laterQueue == queue else { return nil }
    var unmoved = later
    unmoved.moment.time = checkpoint.moment.time
    unmoved.moment.current = checkpoint.moment.current
    unmoved.sleepTimer = checkpoint.sleepTimer
    // Compare the encoded form: it leaves out what decoders find out about a track.
    guard CheckpointSlot(unmoved, sequence: slot.sequence, queue: queue) == slot else { return nil }
    return PositionNote(later, after: slot, number: notes + 1)
  }
}
