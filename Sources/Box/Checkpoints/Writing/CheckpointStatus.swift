// How the checkpoints fare, for 'status' and 'stats'. Pure values; control thread.

import Platform

/// What the writer has to say when it has done, or failed to do, what it was given last.
package struct CheckpointReport: Hashable, Sendable {
  /// The submission it is about; those before it are done or replaced.
  package var ticket: UInt64
  /// Why it could not be written; nil if it is safe.
  package var failure: SystemError?
  /// Checkpoints written since the start of the writer.
  package var checkpoints: UInt64
  /// Bytes written for them.
  package var bytes: UInt64
  /// Pages of 4 KiB that the storage had to program for them.
  package var pages: UInt64
  /// Whether the queue on the storage is the whole one.
  package var isQueueComplete: Bool
  /// What was found when the file had to be opened anew, as sentences for the log.
  package var notes: [String]

  /// A report.
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

/// The state of the checkpoints.
package struct CheckpointStatus: Hashable, Sendable {
  /// When the state that is safe was taken, on the monotonic clock; nil before the first of this process.
  package internal(set) var savedAt: UInt64?
  /// Failures since the last success.
  package internal(set) var failuresInARow = 0
  /// The last failure, also after it was overcome.
  package private(set) var lastFailure: SystemError?
  /// Checkpoints written by this process.
  package private(set) var checkpoints: UInt64 = 0
  /// Bytes written for them.
  package private(set) var bytes: UInt64 = 0
  /// Pages of 4 KiB programmed for them.
  package private(set) var pages: UInt64 = 0
  /// Whether the queue on the storage is the whole one.
  package private(set) var isQueueComplete = true

  init() {}

  /// Seconds since the state that is safe was taken.
  package func age(at now: UInt64) -> Double? {
    savedAt.map { Double(now > $0 ? now - $0 : 0) / 1e9 }
  }

  /// A sentence for a person.
  package func sentence(at now: UInt64) -> String {
    var text = age(at: now).map { "saved " + String(Int($0)) + " s ago" } ?? "nothing saved yet"
    text += ", " + String(checkpoints) + " checkpoints, " + String(bytes / 1024) + " KiB written"
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
