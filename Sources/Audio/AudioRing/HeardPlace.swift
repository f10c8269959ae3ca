// The playback clock of a live input: which ring frame is audible at which time. The audio thread writes it while a
// live input plays; the source's worker process reads it. No lock, no allocation.

import Synchronization

/// Two atomic words in a ring's header: a frame index and the time at which that frame is audible.
package struct HeardPlace: Sendable {
  private nonisolated(unsafe) let base: UnsafeMutableRawPointer

  /// Uses the header of the ring mapped at `base`.
  @_noLocks @_noAllocation
  package init(base: UnsafeMutableRawPointer) { self.base = base }

  @_noLocks @_noAllocation
  private func word(_ number: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
    (base + RingLayout.heardOffset + number * 8).assumingMemoryBound(to: Atomic<UInt64>.self)
  }

  /// Records when a frame is audible. Audio thread.
  ///
  /// - Parameters:
  ///   - index: Ring index of the frame.
  ///   - time: Nanoseconds of the monotonic clock.
  @_noLocks @_noAllocation
  package func note(index: UInt64, at time: UInt64) {
    // A time of 0 marks the pair as incomplete, so that a concurrent reader skips it.
    word(1).pointee.store(0, ordering: .sequentiallyConsistent)
    word(0).pointee.store(index, ordering: .sequentiallyConsistent)
    word(1).pointee.store(time, ordering: .sequentiallyConsistent)
  }

  /// The last recorded pair; nil before the first one and during an update. Worker.
  package var last: (index: UInt64, time: UInt64)? {
    let time = word(1).pointee.load(ordering: .sequentiallyConsistent)
    let index = word(0).pointee.load(ordering: .sequentiallyConsistent)
    guard time > 0, word(1).pointee.load(ordering: .sequentiallyConsistent) == time else { return nil }
    return (index, time)
  }
}

extension RingReader {
  /// The record of the frame that is audible at present.
  package var heardPlace: HeardPlace {
    @_noLocks @_noAllocation get { HeardPlace(base: base) }
  }
}
