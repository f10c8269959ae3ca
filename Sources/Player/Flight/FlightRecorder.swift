// The flight recorder: a ring buffer of the daemon's recent inputs, reports and decoder events in fixed memory.
// Control thread only; a record costs tens of nanoseconds, allocates nothing and makes no system call.

import PlaybackModel
import Platform

/// Records events into a fixed block of memory, overwriting the oldest.
package final class FlightRecorder {
  /// Default size in bytes: about 4000 records, which is hours of quiet playback or minutes of constant operation.
  package static let usualSize = 256 * 1024
  /// Maximum size in bytes that is accepted when reading.
  package static let maxSize = 4 * 1024 * 1024

  /// Start time in nanoseconds of the engine's clock.
  package let started: UInt64
  /// The salt of short names.
  package let salt: UInt64
  private let memory: any FlightMemory
  private let scheduler: any Scheduler
  private let capacity: UInt64
  private var next: UInt64 = 1
  private var isOver = false

  /// Starts recording into zeroed memory.
  ///
  /// - Parameters:
  ///   - memory: Room for a header and at least three records.
  ///   - scheduler: The clock.
  ///   - salt: The salt of short names. The salt of a previous recording keeps its names valid.
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

  /// A copy of the memory, for `FlightReader`.
  package var bytes: [UInt8] { Array(UnsafeRawBufferPointer(start: memory.base, count: memory.size)) }

  /// Marks the recording as cleanly ended. Later records are dropped.
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

  /// Appends a record without text.
  package func add(_ kind: FlightKind, _ words: FlightWords) {
    guard !isOver else { return }
    FlightSlot.write(kind, textLength: 0, sequence: next, time: scheduler.now, words, at: slot(next))
    next += 1
  }

  /// Appends a record with a text; of a text longer than `FlightRecord.maxTextLength` the end is kept.
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
