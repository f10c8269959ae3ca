// What happens when pending work completes, why playing is paused, and whether idle is armed.
// Pure values; control thread.

/// Why playing is paused. Only the event that belongs to the reason resumes it without a person.
package enum PauseReason: UInt8, Hashable, Sendable, CaseIterable {
  /// A person asked for it.
  case user
  /// Something else needs the loudspeaker for a while.
  case interruption
  /// The box sleeps.
  case standby
  /// The sound card is gone.
  case outputLost
  /// An announcement sounds that wants silence beside it.
  case announcement
  /// A live source sounds.
  case liveInput

  /// The name in status lines.
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
  /// Playing starts.
  case play
  /// Silence, of a track that was started before. The reason is kept, so that an interruption that ends while work is
  /// still pending gives the intent to play back, and a person's pause does not.
  case pause(PauseReason)
  /// Silence, of a track that was never started: it becomes `ready`.
  case cue

  /// Whether it is `play`.
  package var isPlay: Bool { self == .play }

  /// The intent for a track that takes this one's place: after a person's pause it is cued, because it was never started.
  package var forAnotherTrack: Intent { self == .pause(.user) ? .cue : self }
}

/// Whether the next load into idle plays at once.
package enum Arming: UInt8, Hashable, Sendable, CaseIterable {
  case disarmed, armed
}
