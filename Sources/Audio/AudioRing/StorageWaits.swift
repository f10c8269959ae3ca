// How long a worker waits for its storage, in shared memory; distinguishes a slow disk from a slow decoder. The worker
// writes it; the control thread reads and clamps it for display. The audio thread does not use it.

import Synchronization

/// Two atomic words in a ring's header.
package struct StorageWaits: Sendable {
  /// Largest wait that is reported, in nanoseconds: one hour. The worker's values are untrusted.
  private static let maxLength: UInt64 = 3_600_000_000_000
  private nonisolated(unsafe) let base: UnsafeMutableRawPointer

  /// Uses the header of the ring mapped at `base`.
  package init(base: UnsafeMutableRawPointer) { self.base = base }

  private func word(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
    (base + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
  }
  private var maxWait: UnsafeMutablePointer<Atomic<UInt64>> { word(RingLayout.storageWaitOffset) }
  private var since: UnsafeMutablePointer<Atomic<UInt64>> { word(RingLayout.waitingSinceOffset) }

  /// Marks the start of a read from storage. Worker.
  package func begin(at time: UInt64) { since.pointee.store(time, ordering: .releasing) }

  /// Marks the end of a read from storage. Worker.
  package func end(at time: UInt64) {
    let begun = since.pointee.load(ordering: .relaxed)
    guard begun > 0, begun <= time else { return }
    let wait = time - begun
    since.pointee.store(0, ordering: .releasing)
    if wait > maxWait.pointee.load(ordering: .relaxed), wait <= Self.maxLength {
      maxWait.pointee.store(wait, ordering: .releasing)
    }
  }

  /// Length of the present wait in nanoseconds; 0 without one. Control thread.
  package func present(now: UInt64) -> UInt64 {
    let begun = since.pointee.load(ordering: .acquiring)
    return begun > 0 && begun < now ? min(now - begun, Self.maxLength) : 0
  }

  /// Returns the longest wait since the last call in nanoseconds, including an unfinished one, and resets it. Control
  /// thread.
  package func take(now: UInt64) -> UInt64 {
    let past = maxWait.pointee.exchange(0, ordering: .acquiringAndReleasing)
    return min(max(past, present(now: now)), Self.maxLength)
  }
}

extension RingReader {
  /// The storage waits that the writer publishes.
  package var storageWaits: StorageWaits { StorageWaits(base: base) }
}
