// The callbacks by which a player reports to its owner, the engine or the daemon. Called on the control thread.

import PlaybackModel

/// A message of a player for the log.
package struct PlayerNote: Hashable, Sendable {
  /// What a message is about.
  package enum Kind: Hashable, Sendable {
    /// The sound device is gone or back.
    case device
    /// Anything else: underruns, decoders, failing tracks.
    case other
  }

  /// What the message is about, for observers that leave some out.
  package let kind: Kind
  /// The message, as sentences for users.
  package let text: String

  /// Creates a message.
  package init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }
}

/// Receives a player's changes synchronously. Class-bound for Embedded Swift.
package protocol PlayerObserver: AnyObject {
  /// State, track or queue have changed.
  func playerDidChange(_ player: Player)
  /// An error has occurred; playback may continue.
  func player(_ player: Player, reports error: PlaybackError)
  /// A track's decoder has died and was restarted; playback continues.
  func player(_ player: Player, restarts track: Track, after error: PlaybackError)
  /// A message for the log.
  func player(_ player: Player, notes note: PlayerNote)
  /// The state should be saved in a checkpoint now.
  func playerWantsCheckpoint(_ player: Player)
  /// A cue sound for this error is due.
  func player(_ player: Player, wantsCueFor error: PlaybackError)
  /// A track has become the one being listened to.
  func player(_ player: Player, began track: Track)
  /// A track is no longer being listened to. `position`: where it was left, in its frames. `isOver`: whether it was
  /// played to its end.
  func player(_ player: Player, left track: Track, at position: Frames, isOver: Bool)
  /// A station's title has become audible.
  func player(_ player: Player, heard title: String, of track: Track)
  /// A station was rejoined; `time`: the approximate duration that is missing.
  func player(_ player: Player, missed time: Seconds, of track: Track)
  /// An announcement has reached a new step.
  func player(_ player: Player, announcement: Announcement, came outcome: AnnouncementOutcome)
}

extension PlayerObserver {
  package func player(_ player: Player, restarts track: Track, after error: PlaybackError) {}
  package func player(_ player: Player, missed time: Seconds, of track: Track) {}
  package func player(_ player: Player, heard title: String, of track: Track) {}
  package func playerWantsCheckpoint(_ player: Player) {}
  package func player(_ player: Player, wantsCueFor error: PlaybackError) {}
  package func player(_ player: Player, began track: Track) {}
  package func player(_ player: Player, left track: Track, at position: Frames, isOver: Bool) {}
  package func player(_ player: Player, announcement: Announcement, came outcome: AnnouncementOutcome) {}
}
