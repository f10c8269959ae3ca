// Why a queue refuses a change, in words for a person. A pure value; any thread.

/// Why the queue refused a change.
package enum QueueError: Error, Hashable, Sendable {
  /// It would hold more entries than it may.
  case full(limit: Int)
  /// No entry has this id.
  case noSuchEntry(UInt64)
  /// The position is outside of the queue.
  case noSuchPosition(Int, count: Int)

  /// What happened and what to do, for a person.
  package var sentence: String {
    switch self {
    case .full(let limit):
      "The queue holds " + String(limit) + " tracks at most; remove some, or clear it."
    case .noSuchEntry(let id): "The queue has no entry " + String(id) + "; 'queue' lists them."
    case .noSuchPosition(let position, let count):
      "The queue has no position " + String(position) + "; it holds " + String(count) + " tracks."
    }
  }
}
