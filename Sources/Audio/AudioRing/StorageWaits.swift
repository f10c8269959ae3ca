// How long a worker waits for its storage: what tells a slow stick from a slow decoder. Written by the worker, taken by the
// control thread, which believes no more of it than it would print; never touched by the audio thread.

import Synchronization

/// Two words in a ring's header.
package struct StorageWaits: Sendable {
  /// The longest that is believed: an hour.
  private static let maxLength: UInt64 = 3_600_000_000_000
  private nonisolated(unsafe) let base: UnsafeMutableRawPointer

  /// Of the ring that is mapped at `base`.
  package init(base: UnsafeMutableRawPointer) { self.base = base }

  private func word(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
    (base + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
  }
  private var maxWait: UnsafeMutablePointer<Atomic<UInt64>> { word(RingLayout.storageWaitOffset) }
  private var since: UnsafeMutablePointer<Atomic<UInt64>> { word(RingLayout.waitingSinceOffset) }

  /// The storage is asked now. Worker.
  package func begin(at time: UInt64) { since.pointee.store(time, ordering: .releasing) }

  /// It has answered. Worker.
  package func end(at time: UInt64) {
    let begun = since.pointee.load(ordering: .relaxed)
    guard begun > 0, begun <= time else { return }
    let wait = time - begun
    since.pointee.store(0, ordering: .releasing)
    if wait > maxWait.pointee.load(ordering: .relaxed), wait <= Self.maxLength {
      maxWait.pointee.store(wait, ordering: .releasing)
    }
  }

  /// How long the wait has lasted that goes on, by the worker's word; 0 where none does. Control thread.
  package func present(now: UInt64) -> UInt64 {
    let begun = since.pointee.load(ordering: .acquiring)
    return begun > 0 && begun < now ? min(now - begun, Self.maxLength) : 0
  }

  /// The longest wait since the last look, one that goes on included. Control thread.
  package func take(now: UInt64) -> UInt64 {
    let past = maxWait.pointee.exchange(0, ordering: .acquiringAndReleasing)
    return min(max(past, present(now: now)), Self.maxLength)
  }
}

extension RingReader {
  /// What the writer tells of its storage.
  package var storageWaits: StorageWaits { StorageWaits(base: base) }
}
