// Delay, clock correction and losses of a live input, in shared memory. The worker writes them; the control thread
// reads and clamps them for display. The audio thread does not use them.

import Synchronization

/// Four atomic words in a ring's header.
package struct LiveFigures: Sendable {
  /// One set of measurements.
  package struct Values: Equatable, Sendable {
    /// Microseconds from a frame's arrival until it is audible.
    package var delay: Int64 = 0
    /// Playback rate correction in parts per million; positive plays faster than the nominal rate.
    package var partsPerMillion: Int64 = 0
    /// Frames dropped because the ring was full or the input was not being played.
    package var dropped: Int64 = 0
    /// Microseconds by which frames are audible too late; negative if too early. Nil without timestamps or while none
    /// is audible.
    package var error: Int64?

    /// Zero measurements, without an error value.
    package init() {}
  }

  /// Largest error in microseconds, and the offset added to a stored error. A stored word of 0 therefore means "no
  /// error value".
  private static var maxError: Int64 { 60_000_000 }
  private static var zeroError: Int64 { 1 << 32 }

  private nonisolated(unsafe) let base: UnsafeMutableRawPointer

  /// Uses the header of the ring mapped at `base`.
  package init(base: UnsafeMutableRawPointer) { self.base = base }

  private func word(_ number: Int) -> UnsafeMutablePointer<Atomic<Int64>> {
    (base + RingLayout.liveOffset + number * 8).assumingMemoryBound(to: Atomic<Int64>.self)
  }

  /// The measurements, clamped to plausible ranges. The worker sets them; the control thread gets them.
  package var values: Values {
    get {
      var values = Values()
      values.delay = min(max(0, word(0).pointee.load(ordering: .relaxed)), 60_000_000)
      values.partsPerMillion = min(max(-10_000, word(1).pointee.load(ordering: .relaxed)), 10_000)
      values.dropped = max(0, word(2).pointee.load(ordering: .relaxed))
      let error = word(3).pointee.load(ordering: .relaxed)
      if error != 0 { values.error = min(max(-Self.maxError, error &- Self.zeroError), Self.maxError) }
      return values
    }
    nonmutating set {
      word(0).pointee.store(newValue.delay, ordering: .relaxed)
      word(1).pointee.store(newValue.partsPerMillion, ordering: .relaxed)
      word(2).pointee.store(newValue.dropped, ordering: .relaxed)
      let error = newValue.error.map { min(max(-Self.maxError, $0), Self.maxError) + Self.zeroError }
      word(3).pointee.store(error ?? 0, ordering: .relaxed)
    }
  }
}

extension RingReader {
  /// The measurements that the writer of a live input publishes.
  package var liveFigures: LiveFigures { LiveFigures(base: base) }
}
