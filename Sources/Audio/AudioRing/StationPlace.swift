// Which byte of a station became which frame: what its window means in seconds. Written by the worker, read by the control thread, which
// believes no more of it than it would show; never touched by the audio thread.

import Synchronization

/// Three words in a ring's header.
package struct StationPlace: Sendable {
  /// A byte of the stream, the frame of the track that its sound begins with, and how many bytes a million frames take.
  package struct Point: Equatable, Sendable {
    /// A byte of the stream.
    package let offset: Int64
    /// The frame of the track that its sound begins with.
    package let position: Int64
    /// Bytes that a million frames take.
    package let pace: Int64

    /// A place, which may be one that cannot be.
    package init(offset: Int64, position: Int64, pace: Int64) {
      self.offset = offset
      self.position = position
      self.pace = pace
    }

    /// Whether such a place can be: nothing beyond overflows.
    var isSensible: Bool {
      (0...(1 << 50)).contains(offset) && (0...(1 << 44)).contains(position) && (1...(1 << 32)).contains(pace)
    }

    /// The frame that a byte's sound begins with, at this pace. The byte is of a stream's bounds.
    package func position(of offset: Int64) -> Int64 {
      let (millions, rest) = (offset - self.offset).quotientAndRemainder(dividingBy: pace)
      guard abs(millions) < 1 << 24 else { return millions < 0 ? 0 : 1 << 44 }
      return max(0, position + millions * 1_000_000 + rest * 1_000_000 / pace)
    }
  }

  private nonisolated(unsafe) let base: UnsafeMutableRawPointer

  /// Of the ring that is mapped at `base`.
  package init(base: UnsafeMutableRawPointer) { self.base = base }

  private func word(_ number: Int) -> UnsafeMutablePointer<Atomic<Int64>> {
    (base + RingLayout.stationOffset + number * 8).assumingMemoryBound(to: Atomic<Int64>.self)
  }

  /// Says where the worker is; readers may see a mixture of two places that are near each other.
  package func note(_ point: Point) {
    word(0).pointee.store(point.offset, ordering: .relaxed)
    word(1).pointee.store(point.position, ordering: .relaxed)
    word(2).pointee.store(point.pace, ordering: .releasing)
  }

  /// Forgets the place of a worker that has ended: its successor counts the bytes of another connection.
  package func clear() { word(2).pointee.store(0, ordering: .releasing) }

  /// The place, by the worker's word; nil before it has said one that can be.
  package var point: Point? {
    let pace = word(2).pointee.load(ordering: .acquiring)
    let point = Point(
      offset: word(0).pointee.load(ordering: .relaxed), position: word(1).pointee.load(ordering: .relaxed),
      pace: pace)
    return point.isSensible ? point : nil
  }
}

extension RingReader {
  /// Where the writer is in its station.
  package var stationPlace: StationPlace { StationPlace(base: base) }
}
