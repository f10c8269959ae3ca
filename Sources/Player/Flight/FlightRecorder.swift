// Keeps the last minutes of a box's inputs in memory of a fixed size. Control thread only; a record costs some tens of
// nanoseconds and allocates nothing; nothing here waits or wakes anybody.

import PlaybackModel
import Platform

/// The flight recorder.
package final class FlightRecorder {
  /// Bytes of a box's recorder: some four thousand records, hours of quiet play or minutes of somebody at every knob.
  package static let usualSize = 256 * 1024
  /// The most that is ever read or kept.
  package static let maxSize = 4 * 1024 * 1024

  /// When it was begun, on the engine's clock.
  package let started: UInt64
  /// What short names are salted with.
  package let salt: UInt64
  private let memory: any FlightMemory
  private let scheduler: any Scheduler
  private let capacity: UInt64
  private var next: UInt64 = 1
  private var isOver = false

  /// Begins in zeroed memory. `salt` of a flight before keeps its short names.
  package init(_ memory: any FlightMemory, _ scheduler: any Scheduler, salt: UInt64) {
    precondition(memory.size >= 4 * FlightRecord.slotBytes, "room for a header and some records")
    self.memory = memory
    self.scheduler = scheduler
    self.salt = salt
    started = scheduler.now
    capacity = UInt64(memory.size / FlightRecord.slotBytes - 1)
    writeHeader(isUnderWay: true)
  }

  private func writeHeader(isUnderWay: Bool) {
    let size = Int(capacity + 1) * FlightRecord.slotBytes
    FlightHeader(salt: salt, size: size, isUnderWay: isUnderWay, started: started).write(to: memory.base)
  }

  /// A copy of everything, for `FlightReader`.
  package var bytes: [UInt8] { Array(UnsafeRawBufferPointer(start: memory.base, count: memory.size)) }

  /// The box ends in order; nothing is recorded any more.
  package func end() {
    guard !isOver else { return }
    add(.stop, FlightWords())
    isOver = true
    writeHeader(isUnderWay: false)
  }

  /// The short name of a path.
  package func name(_ path: String) -> FlightName { FlightName(path, salt: salt) }

  /// The short name of a track.
  package func name(_ track: Track) -> FlightName { FlightName(track, salt: salt) }

  // MARK: Writing

  private func slot(_ sequence: UInt64) -> UnsafeMutableRawPointer {
    memory.base + FlightHeader.byteCount + Int(sequence % capacity) * FlightRecord.slotBytes
  }

  /// Adds a record.
  package func add(_ kind: FlightKind, _ words: FlightWords) {
    guard !isOver else { return }
    FlightSlot.write(kind, textLength: 0, sequence: next, time: scheduler.now, words, at: slot(next))
    next += 1
  }

  /// Adds a record with a text; of one that is too long the end is kept.
  package func add(_ kind: FlightKind, _ words: FlightWords, text: String) {
    guard !isOver else { return }
    let bytes = text.utf8.suffix(FlightRecord.maxTextLength)
    let time = scheduler.now
    FlightSlot.write(kind, textLength: bytes.count, sequence: next, time: time, words, at: slot(next))
    next += 1
    var rest = bytes
    while !rest.isEmpty {
      FlightSlot.write(text: rest.prefix(FlightRecord.textBytes), sequence: next, time: time, at: slot(next))
      next += 1
      rest = rest.dropFirst(FlightRecord.textBytes)
    }
  }
}
