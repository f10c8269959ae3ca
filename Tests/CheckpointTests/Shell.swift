// The daemon's part around a checkpoint schedule in simulated time, and storage that counts its writes. Test
// threads.
import Checkpoints
import PlaybackModel
import Platform

/// A player whose storage takes `latency`, in simulated time.
struct Shell {
  var schedule = CheckpointSchedule()
  var now: UInt64 = 100_000_000_000
  var latency: UInt64 = 10_000_000
  var failure: SystemError?
  /// The start times of the writes.
  private(set) var begun: [UInt64] = []
  private var ticket: UInt64 = 0
  var write: () throws -> Void = {}

  /// Advances the clock and writes what is due.
  mutating func pass(until end: UInt64) {
    while let due = schedule.due, max(due, now) < end {
      now = max(due, now)
      begun.append(now)
      schedule.begin(at: now)
      try? write()
      now += latency
      ticket += 1
      schedule.finish(CheckpointReport(ticket: ticket, failure: failure), at: now)
    }
    now = max(now, end)
  }

  mutating func pass(_ time: UInt64) { pass(until: now + time) }
}

final class CountingStorage: CheckpointStorage {
  let storage: MemoryStorage
  private(set) var written = 0

  init(_ storage: MemoryStorage) { self.storage = storage }
  var size: Int { storage.size }
  func read(at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
    try storage.read(at: offset, count: count)
  }
  func keep(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
    written += bytes.count
    try storage.keep(bytes, at: offset)
  }
}
