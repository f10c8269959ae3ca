// How a live source is doing: its delay, and what is done about its clock. Written by the worker, read by the control thread, which
// believes no more of it than it would print; never touched by the audio thread.

import Synchronization

/// Four words in a ring's header.
package struct LiveFigures: Sendable {
  /// What was noted last.
  package struct Values: Equatable, Sendable {
    /// Microseconds from a frame's arrival until it is heard.
    package var delay: Int64 = 0
    /// By how many millionths the source is played faster than its rate says.
    package var partsPerMillion: Int64 = 0
    /// Frames that came while there was no room, or nobody listened.
    package var dropped: Int64 = 0
    /// Microseconds by which frames are heard too late, or too early where that is negative; nil where they have no time, or none is
    /// heard.
    package var error: Int64?

    /// Nothing yet.
    package init() {}
  }

  /// The most that is said of an error, and what stands for none: a word that was never written is no error.
  private static var maxError: Int64 { 60_000_000 }
  private static var zeroError: Int64 { 1 << 32 }

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
  /// What the writer tells of its source.
  package var liveFigures: LiveFigures { LiveFigures(base: base) }
}
