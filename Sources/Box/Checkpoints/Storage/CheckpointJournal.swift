// The checkpoint journal: writes checkpoints so that the last acknowledged one survives a power loss at any
// time. One thread at a time; blocks on storage.

import PlaybackModel
import Platform

/// The result of writing one checkpoint.
package struct CheckpointReceipt: Hashable, Sendable {
  /// The checkpoint's sequence number, which increases across restarts.
  package var sequence: UInt64
  /// Bytes written.
  package var bytes: Int
  /// Pages of 4 KiB that the flash had to program.
  package var pages: Int
  /// Whether the saved queue is complete. If not, it holds the current entry and those that follow it.
  package var isQueueComplete: Bool
}

/// A ring of 48 slots, a ring of notes and two queue areas, written in place.
///
/// A checkpoint is one write and one sync, either of a slot or, if only the position has changed since the
/// last slot, of a note that refers to that slot. Notes are written only while their slot is the last one
/// attempted, so none outlives it. A changed queue is written and synced first, into the area that no
/// acknowledged slot refers to; then a slot refers to it by generation and checksum. So at any time the
/// storage contains an intact slot with an intact queue, which is the last acknowledged one or a newer one.
///
/// Write budget: 50 MB a year at eight hours of playback a day, or 17 kB an hour. With a checkpoint every
/// 10 s and a track change every 3.5 min, about 310 notes of 28 B and 60 slots of 65 B make 13 kB. A queue
/// costs 60 to 100 B per entry, only when it changes.
package final class CheckpointJournal {
  private let storage: any CheckpointStorage
  let layout: CheckpointLayout

  /// The last sequence number used, including failed attempts.
  private var sequence: UInt64
  private var generation: UInt64
  /// The slot of the last acknowledged checkpoint, which is the last to be overwritten.
  private var durableSlot: Int
  /// The slot that new notes refer to; nil before the first slot, and after a failed write.
  private var noted: NotedSlot?
  /// The number of the last note. Successive notes are in different pages.
  private var lastNote = 0
  /// The last checkpoint attempted; it belongs to `queue`.
  private var latest: Checkpoint?
  /// The queue that new slots refer to; it has been synced.
  private var queue: QueueReference?
  private var fidelity: QueueFidelity
  /// The areas referred to by the last acknowledged slot, and by later slots whose write has failed and may
  /// or may not have reached the storage.
  private var areasInUse: Set<Int>

  /// Creates a journal that continues after the contents found in `storage`.
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
      // After a crash of the process alone, the contents may not have been synced yet, so both areas count as
      // used.
      areasInUse = Set(0..<CheckpointLayout.areaCount)
    } else {
      // A queue without a checkpoint may exist only in the page cache, permanently if its sync has failed. No
      // slot refers to it, but it is not overwritten first.
      queue = nil
      areasInUse = found.queueReference.map { [$0.area] } ?? []
    }
  }

  /// Writes and syncs a checkpoint, after the queue if one is given.
  ///
  /// - Parameters:
  ///   - checkpoint: The checkpoint.
  ///   - record: The queue if it has changed. After an error, pass it again: the journal does not keep it.
  /// - Throws: The storage's error. The last acknowledged checkpoint is still intact then.
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
      // A slot with the newer queue was not acknowledged, so either area may be in use. Write a slot to
      // decide it.
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
