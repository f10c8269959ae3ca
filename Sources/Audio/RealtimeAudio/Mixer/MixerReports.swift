// When the mixer's events are reported: once their frame has been audible. Releases wait until no rewind can go back
// before them. Audio thread: no locks, no allocation.

import PlaybackModel

extension Mixer {
  /// Dequeues the next event if it is due when `frame` is the last audible frame.
  @_noLocks @_noAllocation
  package mutating func takeEvent(heardUpTo frame: Frames) -> StampedEvent? {
    guard let next = nextReport, next.frame <= frame else { return nil }
    return log.take(next.place)
  }

  /// The frame that must be audible before the next event is reported; nil without events.
  ///
  /// It is the event's own frame. A ring release is reported later, because its memory is freed then: once no rewind
  /// can start before it.
  package var nextEventFrame: Frames? {
    @_noLocks @_noAllocation get { nextReport?.frame }
  }

  /// The next event and its due frame: the oldest event, or the first non-release if that is due earlier.
  ///
  /// An event that overtakes a release never concerns the same deck, because a deck is not reused before its release is
  /// known.
  private var nextReport: (place: Int, frame: Frames)? {
    @_noLocks @_noAllocation get {
      guard let oldest = log.event(0) else { return nil }
      let due = frameToTell(oldest)
      let place = log.releasesFirst
      guard let other = log.event(place), other.positions.frame < due else { return (0, due) }
      return (place, other.positions.frame)
    }
  }

  @_noLocks @_noAllocation
  private func frameToTell(_ event: StampedEvent) -> Frames {
    let frame = event.positions.frame
    guard event.event.isRelease, frame.count > anchorFrame else { return frame }
    return Frames(quantumStart(of: frame.count) + Int64(quantum) - 1)
  }
}
