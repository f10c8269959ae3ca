// Pause reasons, intents of pending work, and arming of the idle state. Pure values; control thread.

/// Why playback is paused. Without the user, only the event that ends the reason resumes it.
package enum PauseReason: UInt8, Hashable, Sendable, CaseIterable {
  /// The user paused it.
  case user
  /// Another program needs the loudspeaker temporarily.
  case interruption
  /// The device is in standby.
  case standby
  /// The sound card is lost.
  case outputLost
  /// An announcement with a pause is playing.
  case announcement
  /// A live input is playing.
  case liveInput

  /// Name in status lines.
  package var name: String {
    switch self {
    case .user: "user"
    case .interruption: "interruption"
    case .standby: "standby"
    case .outputLost: "output lost"
    case .announcement: "announcement"
    case .liveInput: "live source"
    }
  }
}

/// What happens when pending work (preparing, buffering, seeking) completes.
package enum Intent: Hashable, Sendable {
  /// Playback starts.
  case play
  /// A track that was started before stays paused. The reason is kept, so that the end of an interruption restores the
  /// intent to play, but a user's pause stays.
  case pause(PauseReason)
  /// A track that was never started becomes `ready`.
  case cue

  /// Whether the intent is `play`.
  package var isPlay: Bool { self == .play }

  /// The intent for a replacement track: after a user's pause it is cued, because it was never started.
  package var forAnotherTrack: Intent { self == .pause(.user) ? .cue : self }
}

/// Whether the next load into the idle state plays at once.
package enum Arming: UInt8, Hashable, Sendable, CaseIterable {
  case disarmed, armed
}
