// What a ring's writer said at one moment. The mixer decides by such values alone, never by a second look:
// frames that are rendered again must find the ring as it was. Audio thread; may not lock or allocate.

/// A ring's indexes as they were read once. Nothing in it is believed.
package struct RingSnapshot: Sendable {
  /// What the writer's index says about the frames from a position on.
  package enum Availability {
    /// So many frames can be read; zero is an empty ring.
    case frames(Int)
    /// The writer claims what cannot be: more than the ring holds, or less than was there before.
    case corrupt
  }

  /// The index that the writer says it writes next.
  package let written: UInt64
  /// One past the track's last frame, or `RingLayout.noEnd`.
  package let end: UInt64
  private let capacity: UInt64

  /// Indexes as they were read, and how many frames the ring has room for.
  @_noLocks @_noAllocation
  package init(written: UInt64, end: UInt64, capacity: UInt64) {
    self.written = written
    self.end = end
    self.capacity = capacity
  }

  /// Frames that can be read from `index` on.
  @_noLocks @_noAllocation
  package func available(from index: UInt64) -> Availability {
    let ahead = written &- index
    guard ahead <= capacity else { return .corrupt }
    return .frames(Int(min(ahead, end > index ? end - index : 0)))
  }

  /// Whether the track ends at or before `index`.
  @_noLocks @_noAllocation
  package func isEnd(_ index: UInt64) -> Bool { index >= end }

  /// Whether all that the track has from `index` on has been written.
  @_noLocks @_noAllocation
  package func isComplete(from index: UInt64) -> Bool { index >= end || end - index <= written &- index }
}
