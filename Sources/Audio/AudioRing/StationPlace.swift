// Maps byte offsets of a radio stream to track positions, in shared memory. The worker writes it; the control thread
// reads it to show the buffered window in seconds and checks it first. The audio thread does not use it.

import Synchronization

/// Three atomic words in a ring's header.
package struct StationPlace: Sendable {
  /// A byte offset of the stream, the track position of its sound, and the bit rate there.
  package struct Point: Equatable, Sendable {
    /// Byte offset in the stream.
    package let offset: Int64
    /// Track position in frames of the sound at `offset`.
    package let position: Int64
    /// Bytes per million frames.
    package let pace: Int64

    /// A point whose values are not checked yet.
    package init(offset: Int64, position: Int64, pace: Int64) {
      self.offset = offset
      self.position = position
      self.pace = pace
    }

    /// Whether the values are in a range in which no later computation overflows.
    var isSensible: Bool {
      (0...(1 << 50)).contains(offset) && (0...(1 << 44)).contains(position) && (1...(1 << 32)).contains(pace)
    }

    /// Track position, in frames, of the sound at a byte offset, extrapolated with `pace`.
    ///
    /// - Parameter offset: Byte offset within the stream's buffered window.
    package func position(of offset: Int64) -> Int64 {
      let (millions, rest) = (offset - self.offset).quotientAndRemainder(dividingBy: pace)
      guard abs(millions) < 1 << 24 else { return millions < 0 ? 0 : 1 << 44 }
      return max(0, position + millions * 1_000_000 + rest * 1_000_000 / pace)
    }
  }

  private nonisolated(unsafe) let base: UnsafeMutableRawPointer

  /// Uses the header of the ring mapped at `base`.
  package init(base: UnsafeMutableRawPointer) { self.base = base }

  private func word(_ number: Int) -> UnsafeMutablePointer<Atomic<Int64>> {
    (base + RingLayout.stationOffset + number * 8).assumingMemoryBound(to: Atomic<Int64>.self)
  }

  /// Publishes the worker's present point. A concurrent reader may see a mix of two adjacent points.
  package func note(_ point: Point) {
    word(0).pointee.store(point.offset, ordering: .relaxed)
    word(1).pointee.store(point.position, ordering: .relaxed)
    word(2).pointee.store(point.pace, ordering: .releasing)
  }

  /// Clears the point of a worker that has ended. The next worker counts the bytes of another connection.
  package func clear() { word(2).pointee.store(0, ordering: .releasing) }

  /// The last point that the worker published; nil if there is none or its values are implausible.
  package var point: Point? {
    let pace = word(2).pointee.load(ordering: .acquiring)
    let point = Point(
      offset: word(0).pointee.load(ordering: .relaxed), position: word(1).pointee.load(ordering: .relaxed),
      pace: pace)
    return point.isSensible ? point : nil
  }
}

extension RingReader {
  /// The point that the writer of a radio stream publishes.
  package var stationPlace: StationPlace { StationPlace(base: base) }
}
