// Which frame of a ring is heard, and when: the output's clock, for a writer that has one of its own. Written by the audio thread
// while a live source sounds, read by the source's worker; no other ring has it.

import Synchronization

/// Two words in a ring's header.
package struct HeardPlace: Sendable {
  private nonisolated(unsafe) let base: UnsafeMutableRawPointer

  /// Of the ring that is mapped at `base`.
  @_noLocks @_noAllocation
  package init(base: UnsafeMutableRawPointer) { self.base = base }

  @_noLocks @_noAllocation
  private func word(_ number: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
    (base + RingLayout.heardOffset + number * 8).assumingMemoryBound(to: Atomic<UInt64>.self)
  }

  /// The frame at `index` is heard at `time`, nanoseconds of the monotonic clock. Audio thread.
  @_noLocks @_noAllocation
  package func note(index: UInt64, at time: UInt64) {
    // No time while both are changed: who reads meanwhile reads nothing.
    word(1).pointee.store(0, ordering: .sequentiallyConsistent)
    word(0).pointee.store(index, ordering: .sequentiallyConsistent)
    word(1).pointee.store(time, ordering: .sequentiallyConsistent)
  }

  /// The last that was noted; nil where nothing was, or just is. Worker.
  package var last: (index: UInt64, time: UInt64)? {
    let time = word(1).pointee.load(ordering: .sequentiallyConsistent)
    let index = word(0).pointee.load(ordering: .sequentiallyConsistent)
    guard time > 0, word(1).pointee.load(ordering: .sequentiallyConsistent) == time else { return nil }
    return (index, time)
  }
}

extension RingReader {
  /// Where the audio thread says what is heard.
  package var heardPlace: HeardPlace {
    @_noLocks @_noAllocation get { HeardPlace(base: base) }
  }
}
