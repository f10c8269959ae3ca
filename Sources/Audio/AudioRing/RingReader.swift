// The reading end of a ring, used by the mixer. Runs on the audio thread: no locks, no allocation. The writer is
// another process and untrusted: every index is masked and every count is clamped.

import Synchronization

/// A view of a mapped ring. It is a plain value, so that it can be part of the mixer's restorable state.
///
/// The owner of the mapping must keep it mapped until the mixer has reported the deck as released.
package struct RingReader: Sendable {
  nonisolated(unsafe) let base: UnsafeMutableRawPointer
  private let mask: UInt64
  /// Sample format claimed by the writer. A false claim is audible noise, never unsafe.
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

  /// Reads the writer's indexes.
  @_noLocks @_noAllocation
  package func look() -> RingSnapshot {
    // Load the end before the write index: the frames before the end were published first.
    let end = atomic(RingLayout.endIndexOffset).pointee.load(ordering: .acquiring)
    let written = atomic(RingLayout.writeIndexOffset).pointee.load(ordering: .acquiring)
    return RingSnapshot(written: written, end: end, capacity: mask + 1)
  }

  /// Whether at least `frames` frames, or all remaining frames of the track, can be read from `index`.
  @_noLocks @_noAllocation
  package func holds(_ frames: Int, from index: UInt64) -> Bool {
    let snapshot = look()
    guard case .frames(let count) = snapshot.available(from: index) else { return true }
    return count >= frames || snapshot.isComplete(from: index)
  }

  /// Capacity in frames.
  package var capacity: Int { Int(mask + 1) }

  /// The write index that the writer claims; untrusted. Any thread.
  package var writtenIndex: UInt64 { look().written }

  /// Frames that can be read from `index`, clamped to the readable range. Any thread.
  package func frames(from index: UInt64) -> Int {
    guard case .frames(let count) = look().available(from: index) else { return 0 }
    return count
  }

  /// Frames from `index` to the end of the ring's memory, which can be read without wrapping.
  @_noLocks @_noAllocation
  package func contiguous(from index: UInt64) -> Int { Int(mask + 1 - (index & mask)) }

  /// The frames from `index`; valid for `contiguous(from:)` frames.
  @_noLocks @_noAllocation
  package func frames(at index: UInt64) -> RingFrames {
    RingFrames(base + RingLayout.headerBytes + Int(index & mask) * samples.frameBytes, samples)
  }

  /// Releases all frames before `index` for overwriting.
  @_noLocks @_noAllocation
  package func retain(from index: UInt64) {
    let place = atomic(RingLayout.retainIndexOffset)
    // The index must not move backward. The audible position is only exact to one quantum, and released frames may
    // already be overwritten.
    guard Int64(bitPattern: index &- place.pointee.load(ordering: .relaxed)) > 0 else { return }
    place.pointee.store(index, ordering: .releasing)
  }
}
