// When the mixer's events are told: once their frame is heard, and releases once no way back leads behind them.
// Audio thread; may not lock or allocate.

import PlaybackModel

extension Mixer {
  /// Takes the event that is to be told next, if that is when `frame` is the last one heard, or before.
  @_noLocks @_noAllocation
  package mutating func takeEvent(heardUpTo frame: Frames) -> StampedEvent? {
    guard let next = nextReport, next.frame <= frame else { return nil }
    return log.take(next.place)
  }

  /// The last frame that has to be heard before an event is told: its own. That a ring was released is
  /// told later, for its memory goes then: once no way back begins before that frame.
  package var nextEventFrame: Frames? {
    @_noLocks @_noAllocation get { nextReport?.frame }
  }

  /// The event that is told next, and when: the oldest, or the one that overtakes releases that still wait. What overtakes one is
  /// never about its deck, on which nothing is put before the release is known.
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
