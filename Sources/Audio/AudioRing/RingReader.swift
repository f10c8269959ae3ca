// The reading end of a ring, as the mixer sees it. Runs on the audio thread; may not lock, allocate or
// believe anything that the other process can write: every index is masked, every count clamped.

import Synchronization

/// A view of a mapped ring; a plain value, so that it can be part of the mixer's restorable state.
/// Whoever maps the memory keeps it mapped until the mixer has reported the deck as released.
package struct RingReader: Sendable {
  nonisolated(unsafe) let base: UnsafeMutableRawPointer
  private let mask: UInt64
  /// In what form its samples are said to be. If they are not, that is heard, and no more than that.
  package let samples: RingSamples

  /// Views a mapping of `layout.totalBytes` bytes at `base`.
  @_noLocks @_noAllocation
  package init(layout: RingLayout, base: UnsafeMutableRawPointer, samples: RingSamples = .floats) {
    self.base = base
    self.mask = UInt64(layout.capacity - 1)
    self.samples = samples
  }

  @_noLocks @_noAllocation
  private func atomic(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
    (base + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
  }

  /// What the writer says at this moment.
  @_noLocks @_noAllocation
  package func look() -> RingSnapshot {
    // The end first: the frames before it were published earlier.
    let end = atomic(RingLayout.endIndexOffset).pointee.load(ordering: .acquiring)
    let written = atomic(RingLayout.writeIndexOffset).pointee.load(ordering: .acquiring)
    return RingSnapshot(written: written, end: end, capacity: mask + 1)
  }

  /// Whether at least `frames` can be read from `index`, or all that the track still has.
  @_noLocks @_noAllocation
  package func holds(_ frames: Int, from index: UInt64) -> Bool {
    let snapshot = look()
    guard case .frames(let count) = snapshot.available(from: index) else { return true }
    return count >= frames || snapshot.isComplete(from: index)
  }

  /// How many frames it has room for.
  package var capacity: Int { Int(mask + 1) }

  /// The index that the writer claims to write next; it may be anything. Any thread.
  package var writtenIndex: UInt64 { look().written }

  /// Frames that can be read from `index` on, as far as the writer can be believed; any thread.
  package func frames(from index: UInt64) -> Int {
    guard case .frames(let count) = look().available(from: index) else { return 0 }
    return count
  }

  /// Frames that lie one after another in memory from `index` on.
  @_noLocks @_noAllocation
  package func contiguous(from index: UInt64) -> Int { Int(mask + 1 - (index & mask)) }

  /// The frames from `index` on; valid for `contiguous(from:)` of them.
  @_noLocks @_noAllocation
  package func frames(at index: UInt64) -> RingFrames {
    RingFrames(base + RingLayout.headerBytes + Int(index & mask) * samples.frameBytes, samples)
  }

  /// Tells the writer that nothing before `index` will be wanted again.
  @_noLocks @_noAllocation
  package func retain(from index: UInt64) {
    let place = atomic(RingLayout.retainIndexOffset)
    // What was heard is known to a quantum only: what has been let go of may be overwritten already, and the
    // writer counts on it.
    guard Int64(bitPattern: index &- place.pointee.load(ordering: .relaxed)) > 0 else { return }
    place.pointee.store(index, ordering: .releasing)
  }
}
