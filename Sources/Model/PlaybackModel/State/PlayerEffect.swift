// What the machine orders besides the decks, which follow the state by themselves (DeckPlan). Data; the control
// thread's shell carries it out, in the order given.

/// An order of the state machine that no state can express: it happens once.
package enum PlayerEffect: Hashable, Sendable {
  /// This track is now the one that is heard, without anybody having asked: move the queue to it.
  case nowPlaying(Track)
  /// This track was to come next by itself and cannot be used: the queue passes it over.
  case passOver(Track)
  /// A person asked for this track and it cannot be used: the queue passes it over and answers with
  /// `skip(to:)`, or stays with the state's current track where it has nothing more.
  case skipPast(Track)
  /// This track (or none) failed for good: the queue passes it over and answers with `queueMovedOn`, or with nothing
  /// where it has nothing more; the player stays failed then.
  case moveOn(from: Track?)
  /// Start a successor of the dead decoder of this track, where the decoded sound ends.
  case restartDecoder(TrackRole)
  /// Start no successor: what was decoded is heard to its end, and `didFail` or `didFailNext` follows.
  case endDecoder(TrackRole)
  /// Send `retry` after this time, unless the state is no longer `failed` by then.
  case scheduleRetry(after: Seconds)
  /// Log this error and show it; playing may well go on.
  case report(PlaybackError)
  /// Play the box's own short sound for this error.
  case playCue(PlaybackError)
  /// Write a checkpoint of the state after the transition.
  case checkpoint
}
