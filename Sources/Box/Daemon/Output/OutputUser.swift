// What the output's owner needs of the box's features. Control thread.

import Checkpoints
import PlaybackModel
import RealtimeAudio

/// Connects features to the player of each output. Class-bound for Embedded Swift.
protocol OutputUser: AnyObject {
  /// Prepares a new playback; called before anything is played on it.
  func prepare(_ playback: Playback)
  /// Captures the current playback, to continue it on another output; nil if there is nothing to continue.
  func capture() -> (Checkpoint, PlayQueue)?
  /// Restores captured playback on the current player.
  func restore(_ checkpoint: Checkpoint)
  /// Light pattern for a player state.
  func indicator(of state: PlayerState) -> Indicator
}
