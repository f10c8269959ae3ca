// Errors of queue changes, with messages for the user. A pure value; any thread.

/// Why the queue rejected a change.
package enum QueueError: Error, Hashable, Sendable {
  /// It would exceed the maximum number of entries.
  case full(limit: Int)
  /// There is no entry with this id.
  case noSuchEntry(UInt64)
  /// The position is outside the queue.
  case noSuchPosition(Int, count: Int)

  /// Message for the user: the error and a remedy.
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
