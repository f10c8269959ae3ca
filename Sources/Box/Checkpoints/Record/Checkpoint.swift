// Where the box is, as far as it is worth coming back to. A pure value; any thread.

import PlaybackModel

/// What a box needs to play on after a loss of power, together with its `QueueRecord`.
///
/// To come back: make the queue of the record's snapshot, take the state through
/// `PlayerStateMachine.restore(_:saved:settings:)`, set volume and sleep timer. Positions are counted at
/// `rate`; where the engine now runs at another one, take `converted(to:)` first.
package struct Checkpoint: Hashable, Sendable {
  /// What the player was doing. Tracks come back as the queue's record knows them.
  package var state: PlayerState
  /// The positions at that moment; its time is on the clock of the process that has written it.
  package var moment: Moment
  /// What positions are counted at.
  package var rate: SampleRate
  /// The volume knob.
  package var volume: Volume
  /// What was left of the sleep timer; nil where none ran. Kept in milliseconds, 49 days at most.
  package var sleepTimer: Seconds?
  /// Where in the queue, and what is repeated.
  package var cursor: PlayQueue.Cursor

  /// A checkpoint.
  package init(
    state: PlayerState, moment: Moment, rate: SampleRate, volume: Volume, sleepTimer: Seconds? = nil,
    cursor: PlayQueue.Cursor = PlayQueue.Cursor()
  ) {
    self.state = state
    self.moment = moment
    self.rate = rate
    self.volume = volume
    self.sleepTimer = sleepTimer
    self.cursor = cursor
  }

  /// The same places in music that is counted at another rate, to the nearest frame.
  package func converted(to other: SampleRate) -> Checkpoint {
    guard other != rate else { return self }
    let conversion = RateConversion(from: rate, to: other)
    var converted = self
    converted.rate = other
    converted.state = conversion.state(state)
    converted.moment.current = conversion.frames(moment.current)
    converted.moment.next = moment.next.map { conversion.frames($0) }
    converted.moment.fade = moment.fade.map { conversion.progress($0) }
    return converted
  }
}
