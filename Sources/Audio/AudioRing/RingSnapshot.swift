// The writer's indexes, read once. The mixer decides only by such snapshots, because rendering again after a rewind
// must see the same ring. Audio thread: no locks, no allocation.

/// A snapshot of a ring's indexes. The values are untrusted.
package struct RingSnapshot: Sendable {
  /// Result of checking the write index against a read position.
  package enum Availability {
    /// Number of readable frames; zero if the ring is empty.
    case frames(Int)
    /// The write index is impossible: more than the capacity ahead of the reader, or behind it.
    case corrupt
  }

  /// The write index that the writer claims.
  package let written: UInt64
  /// Index after the track's last frame, or `RingLayout.noEnd`.
  package let end: UInt64
  private let capacity: UInt64

  /// A snapshot of indexes from a ring of `capacity` frames.
  @_noLocks @_noAllocation
  package init(written: UInt64, end: UInt64, capacity: UInt64) {
    self.written = written
    self.end = end
    self.capacity = capacity
  }

  /// Frames that can be read from `index`.
  @_noLocks @_noAllocation
  package func available(from index: UInt64) -> Availability {
    let ahead = written &- index
    guard ahead <= capacity else { return .corrupt }
    return .frames(Int(min(ahead, end > index ? end - index : 0)))
  }

  /// Whether the track ends at or before `index`.
  @_noLocks @_noAllocation
  package func isEnd(_ index: UInt64) -> Bool { index >= end }

  /// Whether all of the track's frames from `index` to the end have been written.
  @_noLocks @_noAllocation
  package func isComplete(from index: UInt64) -> Bool { index >= end || end - index <= written &- index }
}
