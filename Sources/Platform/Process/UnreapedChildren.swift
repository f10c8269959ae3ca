// Children that were killed and could not die yet, because the kernel holds them for storage that does not answer: each is a task
// until it is reaped. Any thread; never waits.

import CLinux
import Synchronization

/// Remembers them, and reaps those that could die since.
package final class UnreapedChildren: Sendable {
  /// As many as may wait at once; no more children are started then, before a limit on tasks refuses everything.
  package static let limit = 32
  /// Those of this process.
  package static let ofProcess = UnreapedChildren()

  private static let claimed: Int32 = -1
  nonisolated(unsafe) private let slots: UnsafeMutablePointer<Atomic<Int32>>

  /// None yet.
  package init() {
    slots = .allocate(capacity: Self.limit)
    for index in 0..<Self.limit { (slots + index).initialize(to: Atomic(0)) }
  }

  deinit { slots.deallocate() }

  /// How many there are.
  package var count: Int {
    var count = 0
    for index in 0..<Self.limit where slots[index].load(ordering: .relaxed) != 0 { count += 1 }
    return count
  }

  /// Remembers one; one too many is forgotten, and stays a zombie.
  func add(_ pid: Int32) {
    for index in 0..<Self.limit
    where slots[index].compareExchange(expected: 0, desired: pid, ordering: .relaxed).exchanged { return }
  }

  /// Reaps those that have died.
  func reap() {
    for index in 0..<Self.limit {
      let pid = slots[index].load(ordering: .relaxed)
      // Claimed while it is asked about: another thread must not ask for a number that may be a new child's by then.
      guard pid > 0,
        slots[index].compareExchange(expected: pid, desired: Self.claimed, ordering: .relaxed).exchanged
      else { continue }
      var status: Int32 = 0
      let isGone = waitpid(pid, &status, WNOHANG) != 0
      slots[index].store(isGone ? 0 : pid, ordering: .relaxed)
    }
  }
}
