// Reads a checkpoint file without trusting its contents. Blocks on storage.

import PlaybackModel
import Platform

/// The contents found in a journal's storage.
struct JournalContents {
  /// The newest intact checkpoint whose queue is intact, too.
  private(set) var checkpoint: Checkpoint?
  private(set) var queue: QueueRecord?
  private(set) var queueReference: QueueReference?
  /// The checkpoint's slot; nil if it is in a location that is no longer used for slots.
  private(set) var slot: Int?
  private(set) var highestSequence: UInt64 = 0
  private(set) var highestGeneration: UInt64 = 0
  /// The number of slots with contents but no intact checkpoint. One is common after a power loss.
  private(set) var damagedSlots = 0
  /// Whether no slot was ever written.
  private(set) var isFresh = true
  /// Problems found, as sentences for the log.
  private(set) var notes: [String] = []

  private enum Area {
    case unread, unusable
    case holds(QueueReference, QueueRecord)
  }

  /// Reads the contents of `storage` according to `layout`.
  init(_ storage: any CheckpointStorage, _ layout: CheckpointLayout) {
    var (slots, notes) = readPages(storage, layout)
    slots.sort { $0.slot.sequence > $1.slot.sequence }
    for (_, slot) in slots {
      let last = Self.lastNote(of: slot, among: notes)
      highestSequence = max(highestSequence, slot.sequence + UInt64(last?.number ?? 0))
    }
    var areas = [Area](repeating: .unread, count: CheckpointLayout.areaCount)
    var passedOver = 0
    for (number, slot) in slots {
      highestGeneration = max(highestGeneration, slot.queue?.generation ?? 0)
      guard checkpoint == nil else { continue }
      guard let record = record(of: slot, &areas, storage, layout) else {
        passedOver += 1
        continue
      }
      do throws(Malformed) {
        let whole = try slot.checkpoint { record.track($0) }
        checkpoint = Self.lastNote(of: slot, among: notes)?.added(to: whole) ?? whole
        queue = slot.queue == nil ? nil : record
        queueReference = slot.queue
        self.slot = number
      } catch {
        passedOver += 1
        note("checkpoint " + String(slot.sequence) + " makes no sense: " + error.what)
      }
    }
    if passedOver > 0 {
      note(
        String(passedOver) + " newer checkpoints were passed over, because their queue is damaged or "
          + "does not belong to them")
    }
    if checkpoint == nil { takeQueueAlone(&areas, storage, layout) }
    if damagedSlots > 1 || (damagedSlots == 1 && checkpoint == nil) {
      note(
        String(damagedSlots) + " of " + String(CheckpointLayout.slotCount) + " checkpoint slots are damaged")
    }
  }

  private mutating func note(_ sentence: String) {
    // Limit the notes for a file full of invalid data.
    if notes.count < 8 { notes.append(sentence) }
  }

  private static func lastNote(of slot: CheckpointSlot, among notes: [PositionNote]) -> PositionNote? {
    let checksum = slot.checksum
    return notes.filter { $0.slot == checksum }.max { $0.number < $1.number }
  }

  private typealias NumberedSlot = (number: Int?, slot: CheckpointSlot)

  private mutating func readPages(
    _ storage: any CheckpointStorage, _ layout: CheckpointLayout
  ) -> (slots: [NumberedSlot], notes: [PositionNote]) {
    var slots: [NumberedSlot] = []
    var notes: [PositionNote] = []
    for page in 0..<CheckpointLayout.slotPages + CheckpointLayout.notePages {
      let start = layout.page(page)
      let isForNotes = page >= CheckpointLayout.slotPages
      var bytes: [UInt8] = []
      do throws(SystemError) {
        // Read page by page: an unreadable page does not affect the rest.
        bytes = try storage.read(at: start, count: CheckpointLayout.pageBytes)
      } catch {
        isFresh = false
        if !isForNotes { damagedSlots += CheckpointLayout.slotsInPage }
        note("a page of checkpoints cannot be read: " + error.description)
      }
      for place in 0..<CheckpointLayout.slotsInPage {
        let (from, to) = (place * CheckpointSlot.byteCount, (place + 1) * CheckpointSlot.byteCount)
        guard to <= bytes.count else { break }
        let sector = Array(bytes[from..<to])
        if let slot = CheckpointSlot(bytes: sector) {
          slots.append((isForNotes ? nil : page + place * CheckpointLayout.slotPages, slot))
          isFresh = false
        } else if sector.contains(where: { $0 != 0 }) {
          // In the pages for notes, remains of version 0.1 slots are expected.
          damagedSlots += isForNotes ? 0 : 1
          isFresh = false
        }
      }
      guard isForNotes else { continue }
      for place in 0..<CheckpointLayout.notesInPage {
        let from = place * CheckpointLayout.notePitch
        guard from + PositionNote.byteCount <= bytes.count else { break }
        if let note = PositionNote(bytes: bytes[from..<from + PositionNote.byteCount]) { notes.append(note) }
      }
    }
    return (slots, notes)
  }

  /// The queue that a slot refers to; nil if it is damaged. An empty queue if the slot refers to none.
  private mutating func record(
    of slot: CheckpointSlot, _ areas: inout [Area], _ storage: any CheckpointStorage,
    _ layout: CheckpointLayout
  ) -> QueueRecord? {
    guard let reference = slot.queue else { return QueueRecord(PlayQueue().snapshot) }
    guard areas.indices.contains(reference.area) else { return nil }
    guard case .holds(reference, let record) = read(reference.area, &areas, storage, layout) else {
      return nil
    }
    return record
  }

  private mutating func read(
    _ number: Int, _ areas: inout [Area], _ storage: any CheckpointStorage, _ layout: CheckpointLayout
  ) -> Area {
    guard case .unread = areas[number] else { return areas[number] }
    areas[number] = .unusable
    let start = layout.area(number)
    do throws(SystemError) {
      let header = try storage.read(at: start, count: QueueCoding.headerBytes)
      guard let reference = QueueCoding.reference(header, area: number) else { return .unusable }
      highestGeneration = max(highestGeneration, reference.generation)
      guard reference.byteCount <= layout.areaBytes else { return .unusable }
      let bytes = try storage.read(at: start, count: reference.byteCount)
      guard bytes.count == reference.byteCount,
        Checksum.of(bytes[QueueCoding.headerBytes...]) == reference.content
      else { return .unusable }
      do throws(Malformed) {
        areas[number] = .holds(reference, try QueueCoding.decode(bytes))
      } catch {
        note("queue " + String(reference.generation) + " makes no sense: " + error.what)
      }
    } catch {
      note("a queue cannot be read: " + error.description)
    }
    return areas[number]
  }

  /// Recovers the newest intact queue if there is no checkpoint.
  private mutating func takeQueueAlone(
    _ areas: inout [Area], _ storage: any CheckpointStorage, _ layout: CheckpointLayout
  ) {
    for number in areas.indices {
      guard case .holds(let reference, let record) = read(number, &areas, storage, layout) else { continue }
      if let queueReference, queueReference.generation > reference.generation { continue }
      queueReference = reference
      queue = record
      isFresh = false
    }
    if queue != nil { note("no checkpoint is whole; the queue is, and starts from its beginning") }
  }
}
