// The player's state, saved to survive a power loss. A pure value; any thread.

import PlaybackModel

/// A snapshot of the player that, together with a `QueueRecord`, restores playback after a power loss.
///
/// To restore: create the queue from the record's snapshot, pass the state to
/// `PlayerStateMachine.restore(_:saved:settings:)`, and set the volume and the sleep timer. Positions are in
/// frames at `rate`; if the engine now runs at a different rate, use `converted(to:)` first.
package struct Checkpoint: Hashable, Sendable {
  /// The player's state. When read, its tracks come from the queue's record.
  package var state: PlayerState
  /// The positions at that moment. Its time refers to the clock of the process that wrote it.
  package var moment: Moment
  /// The sample rate of all positions.
  package var rate: SampleRate
  /// The volume.
  package var volume: Volume
  /// The remaining time of the sleep timer; nil if none is set. Saved in milliseconds, at most 46 days.
  package var sleepTimer: Seconds?
  /// The position in the queue, and the repeat mode.
  package var cursor: PlayQueue.Cursor

  /// Creates a checkpoint.
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

  /// Converts all positions to a different sample rate, to the nearest frame.
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
