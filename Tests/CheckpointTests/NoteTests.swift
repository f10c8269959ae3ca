// Incremental position notes: their size, when a full slot is needed instead, and which slot they belong to.
// Test threads.
import PlaybackModel
import Platform
import Testing

@testable import Checkpoints

@Suite struct NoteTests {
  private let layout = CheckpointLayout(areaBytes: 8192)
  private let tracks = [Track(id: 1, path: "/a"), Track(id: 2, path: "/b")]

  private func checkpoint(_ track: Int = 0, at position: Int64, sleep: Double? = nil) -> Checkpoint {
    Checkpoint(
      state: .playing(track: tracks[track]), moment: Moment(time: 0, current: Frames(position)),
      rate: SampleRate(48_000), volume: Volume(50), sleepTimer: sleep.map { Seconds($0) })
  }

  private var record: QueueRecord { QueueRecord(PlayQueue().snapshot, detached: tracks) }

  private func found(_ storage: any CheckpointStorage) -> Checkpoint? {
    CheckpointJournal.open(storage, layout: layout).checkpoint
  }

  @Test func onlyAMoveTakesANote() throws {
    let storage = empty(layout)
    let journal = CheckpointJournal.open(storage, layout: layout).journal
    var checkpoint = checkpoint(at: 0)
    #expect(try journal.write(checkpoint, queue: record).bytes > PositionNote.byteCount)
    func bytes(_ change: (inout Checkpoint) -> Void) throws -> Int {
      change(&checkpoint)
      let bytes = try journal.write(checkpoint).bytes
      #expect(found(storage) == checkpoint)
      return bytes
    }
    let slot = 45...80
    #expect(try bytes { $0.moment.current = Frames(480_000) } == 28)
    #expect(try bytes { $0.moment.current = .maxLength } == 28)
    #expect(try bytes { $0.sleepTimer = Seconds(59.5) } == 28)
    #expect(try bytes { $0.sleepTimer = nil } == 28)
    #expect(try slot.contains(bytes { $0.volume = Volume(51) }))
    #expect(try slot.contains(bytes { $0.state = .playing(track: tracks[1]) }))
    #expect(try slot.contains(bytes { $0.cursor.repeatMode = .all }))
    #expect(try slot.contains(bytes { $0.moment.next = Frames(7) }))
    #expect(try slot.contains(bytes { $0.moment.deck = .b }))
    #expect(try slot.contains(bytes { $0.rate = SampleRate(44_100) }))
    #expect(try bytes { $0.moment.current = .zero } == 28)
    #expect(
      try slot.contains(bytes { $0.state = .paused(track: tracks[1], position: Frames(5), reason: .user) }))
  }

  /// A damaged slot loses its notes, too, so a new slot is written after a number of notes.
  @Test func aSlotFollowsAfterManyNotes() throws {
    let storage = empty(layout)
    var journal = CheckpointJournal.open(storage, layout: layout).journal
    var sizes: [Int] = []
    var sequence: UInt64 = 0
    for i in 0..<400 {
      if i == 200 { journal = CheckpointJournal.open(storage, layout: layout).journal }
      let receipt = try journal.write(
        checkpoint(at: Int64(i) * 480_000), queue: i == 0 ? record : nil)
      #expect(receipt.sequence > sequence)
      sequence = receipt.sequence
      sizes.append(receipt.bytes)
      #expect(found(storage) == checkpoint(at: Int64(i) * 480_000))
    }
    let slots = sizes.indices.filter { sizes[$0] > PositionNote.byteCount }
    let expected = [0, 31, 62, 93, 124, 155, 186, 200, 231, 262, 293, 324, 355, 386]
    #expect(slots == expected)
  }

  /// If the newest slot cannot be read, the previous one is used with its own last note, never with another
  /// slot's.
  @Test func aNoteCountsForItsOwnSlotOnly() throws {
    let storage = empty(layout)
    let journal = CheckpointJournal.open(storage, layout: layout).journal
    _ = try journal.write(checkpoint(at: 10), queue: record)
    for position in 11...16 { _ = try journal.write(checkpoint(at: Int64(position))) }
    _ = try journal.write(checkpoint(1, at: 50))
    #expect(found(storage) == checkpoint(1, at: 50))
    _ = try journal.write(checkpoint(1, at: 51))
    #expect(found(storage) == checkpoint(1, at: 51))
    try storage.keep([0xFF], at: layout.slot(1) + 20)
    #expect(found(storage) == checkpoint(at: 16))
    // The sequence number of the unreadable slot is reused with other content.
    let again = CheckpointJournal.open(storage, layout: layout).journal
    _ = try again.write(checkpoint(at: 99))
    #expect(found(storage) == checkpoint(at: 99))
  }

  /// For any note that a power cut has truncated, the previous note counts.
  @Test func aSpoiltNoteLeavesTheOneBefore() throws {
    let storage = empty(layout)
    let journal = CheckpointJournal.open(storage, layout: layout).journal
    for position in 0...4 {
      _ = try journal.write(checkpoint(at: Int64(position)), queue: position == 0 ? record : nil)
    }
    for offset in 0..<PositionNote.byteCount {
      for bit in 0..<8 {
        let spoilt = MemoryStorage(storage.bytes)
        let place = layout.note(4) + offset
        try spoilt.keep([storage.bytes[place] ^ 1 << UInt8(bit)], at: place)
        #expect(found(spoilt) == checkpoint(at: 3))
      }
    }
    let page = layout.note(4) / 4096 * 4096
    let spoilt = MemoryStorage(storage.bytes)
    try spoilt.keep([UInt8](repeating: 0xA5, count: 4096), at: page)
    #expect(found(spoilt) == checkpoint(at: 3), "successive notes lie in different pages")
    #expect(layout.note(3) / 4096 != page / 4096)
  }

  /// An unacknowledged slot may have reached the storage. Returning to the earlier state must not add a note
  /// to the slot before it.
  @Test func aSlotThatMayHaveArrivedTakesNoNoteOfTheOneBefore() throws {
    let storage = PowerStorage(empty(layout).bytes)
    let journal = CheckpointJournal.open(storage, layout: layout).journal
    _ = try journal.write(checkpoint(at: 0), queue: record)
    storage.lifeLeft = 1
    #expect(throws: SystemError.self) { try journal.write(checkpoint(1, at: 7)) }
    storage.lifeLeft = .max
    _ = try journal.write(checkpoint(at: 2))
    #expect(found(storage) == checkpoint(at: 2))
  }

  @Test func afterAFailureASlotIsWritten() throws {
    let storage = PowerStorage(empty(layout).bytes)
    let journal = CheckpointJournal.open(storage, layout: layout).journal
    _ = try journal.write(checkpoint(at: 0), queue: record)
    #expect(try journal.write(checkpoint(at: 1)).bytes == PositionNote.byteCount)
    storage.failsOneIn = 1
    #expect(throws: SystemError.self) { try journal.write(checkpoint(at: 2)) }
    storage.failsOneIn = 0
    #expect(try journal.write(checkpoint(at: 3)).bytes > PositionNote.byteCount)
    #expect(found(storage) == checkpoint(at: 3))
  }
}

/// Files of version 0.1: 64 slots of 512 bytes; the last two pages now hold notes.
@Suite struct PaddedSlotTests {
  private let layout = CheckpointLayout(areaBytes: 8192)
  private let track = Track(id: 7, path: "/a")

  /// The exact bytes that 0.1 wrote for a playing track.
  private func sector(sequence: UInt64, position: Int64, queue: QueueReference) -> [UInt8] {
    var bytes = Array("SwCP".utf8) + [1, 0, 0, 0]
    func put(_ value: UInt64, _ count: Int) {
      for i in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * i))) }
    }
    for value in [sequence, queue.generation, queue.content, UInt64(queue.byteCount), UInt64(queue.area)] {
      put(value, 8)
    }
    put(44_100, 4)
    put(UInt64(Float(25).bitPattern), 4)
    // The sleep timer, the place in the queue, whether it is on an entry, and the entry's id.
    put(90_000, 4)
    put(0, 4)
    put(0, 1)
    put(0, 8)
    // Repeat mode and end of queue; the moment: time, position, no second track, no fade, deck.
    bytes += [0, 0]
    put(12, 8)
    put(UInt64(position), 8)
    bytes += [0, 0, 1]
    // The state `playing` and its track.
    bytes.append(UInt8(PlayerState.Kind.playing.rawValue))
    put(track.id, 8)
    bytes += [UInt8](repeating: 0, count: 504 - bytes.count)
    put(Checksum.of(bytes), 8)
    return bytes
  }

  private func checkpoint(at position: Int64) -> Checkpoint {
    Checkpoint(
      state: .playing(track: track), moment: Moment(time: 12, current: Frames(position), deck: .b),
      rate: SampleRate(44_100), volume: Volume(25), sleepTimer: Seconds(90))
  }

  /// The newest slot may be in any page: successive slots were in successive pages of eight.
  @Test(arguments: [1, 6, 7, 8, 64, 65, 70, 71, 100])
  func theNewestIsTakenUpWhereverItLies(count: Int) throws {
    let storage = empty(layout)
    let record = QueueRecord(PlayQueue().snapshot, detached: [track])
    let (bytes, _) = QueueCoding.encode(record, generation: 3, limit: layout.areaBytes)
    let queue = QueueReference(
      generation: 3, content: Checksum.of(bytes[QueueCoding.headerBytes...]), byteCount: bytes.count, area: 1)
    try storage.keep(bytes, at: 4096 + 8 * 4096 + layout.areaBytes)
    for i in 0..<count {
      let place = 4096 + i % 8 * 4096 + i / 8 % 8 * 512
      try storage.keep(sector(sequence: UInt64(i) + 1, position: Int64(i), queue: queue), at: place)
    }
    let opening = CheckpointJournal.open(storage, layout: layout)
    #expect(opening.checkpoint == checkpoint(at: Int64(count) - 1) && opening.queue == record)
    #expect(opening.notes.isEmpty)
    // From here on the file has the present format, without a log message.
    for i in 0..<300 {
      var later = checkpoint(at: Int64(10_000 + i))
      if i % 5 == 4 { later.volume = Volume(26) }
      _ = try opening.journal.write(later, queue: i == 0 ? record : nil)
      let again = CheckpointJournal.open(storage, layout: layout)
      #expect(again.checkpoint == later && again.queue == record && again.notes.isEmpty)
    }
  }
}
