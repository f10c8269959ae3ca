// Writes checkpoints so that whatever happens in the middle of it, the last one that was acknowledged can be
// read. One thread at a time; waits for the storage.

import PlaybackModel
import Platform

/// What a journal has done for one checkpoint.
package struct CheckpointReceipt: Hashable, Sendable {
  /// The checkpoint's number; each is larger than all before it, over restarts too.
  package var sequence: UInt64
  /// Bytes written for it.
  package var bytes: Int
  /// Pages of 4 KiB that the flash had to program for them.
  package var pages: Int
  /// Whether the queue on the storage is the whole one. If not, it holds what is played now and next.
  package var isQueueComplete: Bool
}

/// A ring of 48 slots, one of notes and two queue areas, written in place.
///
/// A checkpoint is one write and one sync: a slot, or, where only the position has moved since the last slot, a note that
/// names that slot. A note is written only while its slot is the last one tried, so none outlives what it adds to. A queue that has changed goes first, into the area that no
/// acknowledged slot refers to, with a sync of its own; only then a slot refers to it, by generation and
/// checksum. So at every instant the storage holds a whole slot with a whole queue, and it is the last
/// acknowledged or a newer one.
///
/// Budget: at most 50 MB a year of eight hours of play a day, which is 17 kB an hour. Checkpoints every 10 s, a track every
/// 3.5 min: some 310 notes of 28 B and 60 slots of 65 B are 13 kB. A queue costs 60 to 100 B an entry, only when it is changed.
package final class CheckpointJournal {
  private let storage: any CheckpointStorage
  let layout: CheckpointLayout

  /// The last number used; failed attempts count.
  private var sequence: UInt64
  private var generation: UInt64
  /// The slot of the last acknowledged checkpoint. It is overwritten last of all.
  private var durableSlot: Int
  /// The slot that notes add to; nil where the last thing tried has failed, and before the first.
  private var noted: NotedSlot?
  /// The note that was written last. Successive ones lie in different pages.
  private var lastNote = 0
  /// The last checkpoint that was tried; it goes with `queue`.
  private var latest: Checkpoint?
  /// The queue that new slots refer to. It is safe.
  private var queue: QueueReference?
  private var fidelity: QueueFidelity
  /// The area that the last acknowledged slot refers to, and those of slots that may or may not have
  /// arrived since.
  private var areasInUse: Set<Int>

  /// A journal that goes on after what was found in `storage`.
  init(storage: any CheckpointStorage, layout: CheckpointLayout, found: JournalContents) {
    self.storage = storage
    self.layout = layout
    sequence = found.highestSequence
    generation = found.highestGeneration
    durableSlot = found.slot ?? CheckpointLayout.slotCount - 1
    latest = found.checkpoint
    fidelity = found.queue.map { $0.isComplete ? .whole : .part } ?? .whole
    if found.checkpoint != nil {
      queue = found.queueReference
      // After a mere crash of the process, what was found may still wait in the kernel's memory.
      areasInUse = Set(0..<CheckpointLayout.areaCount)
    } else {
      // A queue without a checkpoint may be in the kernel's memory only, for good if its sync has failed:
      // nothing refers to it, but it is not overwritten first.
      queue = nil
      areasInUse = found.queueReference.map { [$0.area] } ?? []
    }
  }

  /// Writes a checkpoint, and before it the queue if one is given, and waits until it is safe. After an
  /// error the last acknowledged checkpoint is still there. Give the queue again then: it is not
  /// remembered.
  package func write(
    _ checkpoint: Checkpoint, queue record: QueueRecord? = nil
  ) throws(SystemError) -> CheckpointReceipt {
    var receipt = CheckpointReceipt(sequence: 0, bytes: 0, pages: 0, isQueueComplete: true)
    if let record { try writeQueue(record, &receipt) }
    latest = checkpoint
    if let noted, let note = noted.note(of: checkpoint, queue: queue) {
      try write(note, after: noted, &receipt)
    } else {
      try writeSlot(checkpoint, &receipt)
    }
    receipt.isQueueComplete = fidelity != .part
    return receipt
  }

  private func writeQueue(_ record: QueueRecord, _ receipt: inout CheckpointReceipt) throws(SystemError) {
    let (bytes, fidelity) = QueueCoding.encode(record, generation: generation + 1, limit: layout.areaBytes)
    let content = Checksum.of(bytes[QueueCoding.headerBytes...])
    if let queue, content == queue.content { return }
    if areasInUse.count == CheckpointLayout.areaCount, let latest {
      // A slot that refers to the newer queue was not acknowledged: either may be the last. Settle it.
      try writeSlot(latest, &receipt)
    }
    var area = 0
    while areasInUse.contains(area) { area += 1 }
    precondition(area < CheckpointLayout.areaCount, "one area is free once a slot is acknowledged")
    generation += 1
    try storage.keep(bytes, at: layout.area(area))
    receipt.bytes += bytes.count
    receipt.pages += (bytes.count + CheckpointLayout.pageBytes - 1) / CheckpointLayout.pageBytes
    queue = QueueReference(generation: generation, content: content, byteCount: bytes.count, area: area)
    self.fidelity = fidelity
  }

  private func writeSlot(_ checkpoint: Checkpoint, _ receipt: inout CheckpointReceipt) throws(SystemError) {
    sequence += 1
    let number = (durableSlot + 1) % CheckpointLayout.slotCount
    let slot = CheckpointSlot(checkpoint, sequence: sequence, queue: queue)
    if let queue { areasInUse.insert(queue.area) }
    noted = nil
    try storage.keep(slot.bytes, at: layout.slot(number))
    receipt.bytes += slot.bytes.count
    receipt.pages += 1
    durableSlot = number
    noted = NotedSlot(slot, holding: checkpoint)
    areasInUse = queue.map { [$0.area] } ?? []
    receipt.sequence = sequence
  }

  private func write(
    _ note: PositionNote, after slot: NotedSlot, _ receipt: inout CheckpointReceipt
  ) throws(SystemError) {
    sequence += 1
    lastNote = (lastNote + 1) % CheckpointLayout.noteCount
    noted = nil
    try storage.keep(note.bytes, at: layout.note(lastNote))
    receipt.bytes += PositionNote.byteCount
    receipt.pages += 1
    noted = slot
    noted?.notes = note.number
    receipt.sequence = sequence
  }
}
