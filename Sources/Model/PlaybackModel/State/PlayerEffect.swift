// Effects of the state machine besides deck contents, which follow from the state (DeckPlan). Plain data; the engine
// performs them in order on the control thread.

/// A one-time effect that the state does not express.
package enum PlayerEffect: Hashable, Sendable {
  /// The mixer has advanced to this track by itself: move the queue to it.
  case nowPlaying(Track)
  /// The next track of the queue cannot be played: mark it as failed.
  case passOver(Track)
  /// The track that the user skipped to cannot be played: mark it as failed and send `skip(to:)` with the next one.
  /// Without a next one, the current track stays.
  case skipPast(Track)
  /// This track (or none) has failed permanently: mark it as failed and send `queueMovedOn` with the next one. Without
  /// a next one, the player stays failed.
  case moveOn(from: Track?)
  /// Restart the dead decoder of this track at the end of the decoded audio.
  case restartDecoder(TrackRole)
  /// Do not restart the decoder: the decoded audio is played to its end, then `didFail` or `didFailNext` follows.
  case endDecoder(TrackRole)
  /// Send `retry` after this time, unless the state is no longer `failed`.
  case scheduleRetry(after: Seconds)
  /// Log and display this error; playback may continue.
  case report(PlaybackError)
  /// Play the cue for this error.
  case playCue(PlaybackError)
  /// Save a checkpoint of the new state.
  case checkpoint
}
