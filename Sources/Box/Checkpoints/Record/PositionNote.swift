// What has moved since a checkpoint while everything else stayed as it was: a few bytes in its place. Pure; any thread but the audio
// thread.

import PlaybackModel

/// Where the music is since a slot was written: 28 bytes, little-endian. The checksum of the slot that it adds to, which names state and
/// track; its number among that slot's notes; the position; what is left of the sleep timer; the CRC-64 of all that.
struct PositionNote: Hashable, Sendable {
  static let byteCount = 28
  /// So many may follow one slot. A slot that rots takes its notes along, so what is lost with it is bounded: five minutes where
  /// a note is written every ten seconds.
  static let maxCount = 30

  /// The checksum of the slot; no other slot has the same.
  let slot: UInt64
  /// Counted from 1 for each slot.
  let number: Int
  let position: Frames
  let sleepTimer: Seconds?

  /// A note that stands for a checkpoint, after a slot that holds all of it but what a note has.
  init(_ checkpoint: Checkpoint, after slot: CheckpointSlot, number: Int) {
    self.slot = slot.checksum
    self.number = number
    position = checkpoint.moment.current
    sleepTimer = checkpoint.sleepTimer
  }

  /// Takes a note that was read, if it is whole. `checksIntegrity` is for the fuzzer, which cannot guess checksums.
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

  /// The written form.
  var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.number(slot, 8)
    writer.number(number, 1)
    writer.number(min(max(position, .zero), .maxLength).count, 7)
    writer.number(SleepRest.milliseconds(sleepTimer), 4)
    writer.number(Checksum.of(writer.bytes), CheckpointSlot.checksumBytes)
    return writer.bytes
  }

  /// The checkpoint that its slot and it make together.
  func added(to checkpoint: Checkpoint) -> Checkpoint {
    var moved = checkpoint
    moved.moment.current = position
    moved.sleepTimer = sleepTimer
    return moved
  }
}

/// The slot that notes add to.
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

  /// The note that stands for a later checkpoint; nil where it takes a slot, because more has changed or there are many notes.
  func note(of later: Checkpoint, queue laterQueue: QueueReference?) -> PositionNote? {
    guard notes < PositionNote.maxCount, laterQueue == queue else { return nil }
    var unmoved = later
    unmoved.moment.time = checkpoint.moment.time
    unmoved.moment.current = checkpoint.moment.current
    unmoved.sleepTimer = checkpoint.sleepTimer
    // What a decoder has found out about the track is not in a slot, so bytes are compared.
    guard CheckpointSlot(unmoved, sequence: slot.sequence, queue: queue) == slot else { return nil }
    return PositionNote(later, after: slot, number: notes + 1)
  }
}
