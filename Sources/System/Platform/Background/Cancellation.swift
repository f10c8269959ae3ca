// A wish that something which takes long is given up, made by one thread and looked at by another. Any thread; never waits.

import Synchronization

/// Whether something is not wanted any more. Once set it stays.
package final class Cancellation: Sendable {
  private let flag = Atomic<Bool>(false)

  /// Not yet.
  package init() {}

  /// Whether it is to be given up.
  package var isSet: Bool { flag.load(ordering: .relaxed) }

  /// Gives it up.
  package func cancel() { flag.store(true, ordering: .relaxed) }
}
