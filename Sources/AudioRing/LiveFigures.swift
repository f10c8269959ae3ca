// How a live source is doing: its delay, and what is done about its clock. Written by the worker, read by the control thread, which
// believes no more of it than it would print; never touched by the audio thread.

import Synchronization

/// Three words in a ring's header.
package struct LiveFigures: Sendable {
  /// What was noted last.
  package struct Values: Equatable, Sendable {
    /// Microseconds from a frame's arrival until it is heard.
    package var delay: Int64 = 0
    /// By how many millionths the source is played faster than its rate says.
    package var partsPerMillion: Int64 = 0
    /// Frames that came while there was no room, or nobody listened.
    package var dropped: Int64 = 0

    /// Nothing yet.
    package init() {}
  }

  private nonisolated(unsafe) let base: UnsafeMutableRawPointer

  /// Of the ring that is mapped at `base`.
  package init(base: UnsafeMutableRawPointer) { self.base = base }

  private func word(_ number: Int) -> UnsafeMutablePointer<Atomic<Int64>> {
    (base + RingLayout.liveOffset + number * 8).assumingMemoryBound(to: Atomic<Int64>.self)
  }

  /// Takes note of figures, or says them, each as far as it can be. Worker; control thread.
  package var values: Values {
    get {
      var values = Values()
      values.delay = min(max(0, word(0).pointee.load(ordering: .relaxed)), 60_000_000)
      values.partsPerMillion = min(max(-10_000, word(1).pointee.load(ordering: .relaxed)), 10_000)
      values.dropped = max(0, word(2).pointee.load(ordering: .relaxed))
      return values
    }
    nonmutating set {
      word(0).pointee.store(newValue.delay, ordering: .relaxed)
      word(1).pointee.store(newValue.partsPerMillion, ordering: .relaxed)
      word(2).pointee.store(newValue.dropped, ordering: .relaxed)
    }
  }
}

extension RingReader {
  /// What the writer tells of its source.
  package var liveFigures: LiveFigures { LiveFigures(base: base) }
}
