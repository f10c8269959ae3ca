// A cancellation flag, set by one thread and polled by another. Any thread; never blocks.

import Synchronization

/// A flag that, once set, stays set.
package final class Cancellation: Sendable {
  private let flag = Atomic<Bool>(false)

  /// Creates an unset flag.
  package init() {}

  /// Whether the operation has been cancelled.
  package var isSet: Bool { flag.load(ordering: .relaxed) }

  /// Cancels the operation.
  package func cancel() { flag.store(true, ordering: .relaxed) }
}
