// The status of checkpoints for `status` and `stats`. Pure values; control thread.

import Platform

/// The writer's report on its last submission.
package struct CheckpointReport: Hashable, Sendable {
  /// The submission. Earlier ones are done or were replaced.
  package var ticket: UInt64
  /// The error; nil if the checkpoint has been synced.
  package var failure: SystemError?
  /// Checkpoints written since the writer was created.
  package var checkpoints: UInt64
  /// Bytes written for them.
  package var bytes: UInt64
  /// Pages of 4 KiB that the storage had to program.
  package var pages: UInt64
  /// Whether the saved queue is complete.
  package var isQueueComplete: Bool
  /// Problems found when the file was reopened, as sentences for the log.
  package var notes: [String]

  /// Creates a report.
  package init(
    ticket: UInt64, failure: SystemError? = nil, checkpoints: UInt64 = 0, bytes: UInt64 = 0,
    pages: UInt64 = 0, isQueueComplete: Bool = true, notes: [String] = []
  ) {
    self.ticket = ticket
    self.failure = failure
    self.checkpoints = checkpoints
    self.bytes = bytes
    self.pages = pages
    self.isQueueComplete = isQueueComplete
    self.notes = notes
  }
}

/// The status of checkpoint writing.
package struct CheckpointStatus: Hashable, Sendable {
  /// The time of the last saved state, on the monotonic clock; nil before the first checkpoint of this
  /// process.
  package internal(set) var savedAt: UInt64?
  /// Failures since the last success.
  package internal(set) var failuresInARow = 0
  /// The last failure; it stays after a success.
  package private(set) var lastFailure: SystemError?
  /// Checkpoints written by this process.
  package private(set) var checkpoints: UInt64 = 0
  /// Bytes written for them.
  package private(set) var bytes: UInt64 = 0
  /// Pages of 4 KiB programmed for them.
  package private(set) var pages: UInt64 = 0
  /// Whether the saved queue is complete.
  package private(set) var isQueueComplete = true

  init() {}

  /// Seconds since the last saved state; nil if there is none.
  package func age(at now: UInt64) -> Double? {
    savedAt.map { Double(now > $0 ? now - $0 : 0) / 1e9 }
  }

  /// A sentence for users.
  package func sentence(at now: UInt64) -> String {
    var text = age(at: now).map { "saved " + String(Int($0)) + " s ago" } ?? "nothing saved yet"
    text += ", " + String(checkpoints) + (checkpoints == 1 ? " checkpoint, " : " checkpoints, ")
    text += (bytes < 10_240 ? String(bytes) + " bytes" : String(bytes / 1024) + " KiB") + " written"
    if !isQueueComplete { text += "; the queue is too large to be saved whole" }
    if failuresInARow > 0, let lastFailure {
      text += "; failing: " + lastFailure.description
    }
    return text
  }

  mutating func take(_ report: CheckpointReport) {
    if let failure = report.failure { lastFailure = failure }
    checkpoints = report.checkpoints
    bytes = report.bytes
    pages = report.pages
    isQueueComplete = report.isQueueComplete
  }
}
