// The thirteen states of the player. A crossfade is a state, not a flag.
// Pure values; control thread.

/// What the player is doing.
package enum PlayerState: Hashable, Sendable {
  /// Nothing loaded. `cause` is the failure that led here, until something is loaded.
  case idle(cause: PlaybackError?, armed: Arming)
  /// A decoder opens the track at `start`; silence.
  case preparing(track: Track, intent: Intent, start: Frames)
  /// Cued and never started.
  case ready(track: Track, position: Frames)
  /// Heard.
  case playing(track: Track)
  /// Silent at `position`, everything kept.
  case paused(track: Track, position: Frames, reason: PauseReason)
  /// The decoder does not keep up; silence until the ring has filled again.
  case buffering(track: Track, intent: Intent)
  /// The decoder moves to `target`.
  case seeking(track: Track, target: Frames, intent: Intent)
  /// `current` is heard, `next` is being opened or waits for its frame.
  case preparingCrossfade(current: Track, next: Track, plan: PlannedFade)
  /// Both are heard. A person means `to` when asking where playing is or seeking from there.
  case crossfading(from: Track, to: Track, curve: FadeCurve, progress: FadeProgress, pace: FadePace)
  /// A fade stopped in the middle; the snapshot is enough to continue after a loss of power.
  case crossfadePaused(
    from: Track, to: Track, strategy: ResumeStrategy, snapshot: CrossfadeSnapshot, reason: PauseReason)
  /// Ramps down to a stop over `duration`.
  case fadingOut(track: Track, duration: Frames)
  /// The end of the queue, or stopped; `last` can be played again.
  case finished(last: Track)
  /// Needs help; `position` is where a retry goes on, and `intent` whether it is heard then: what was paused stays
  /// paused through a failure.
  case failed(error: PlaybackError, track: Track?, position: Frames, intent: Intent)

  /// The states without their payloads.
  package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    case idle, preparing, ready, playing, paused, buffering, seeking, preparingCrossfade, crossfading
    case crossfadePaused, fadingOut, finished, failed

    /// The name in tables, histories and on the console.
    package var name: String {
      switch self {
      case .idle: "idle"
      case .preparing: "preparing"
      case .ready: "ready"
      case .playing: "playing"
      case .paused: "paused"
      case .buffering: "buffering"
      case .seeking: "seeking"
      case .preparingCrossfade: "preparingCrossfade"
      case .crossfading: "crossfading"
      case .crossfadePaused: "crossfadePaused"
      case .fadingOut: "fadingOut"
      case .finished: "finished"
      case .failed: "failed"
      }
    }
  }

  /// Which state it is.
  package var kind: Kind {
    switch self {
    case .idle: .idle
    case .preparing: .preparing
    case .ready: .ready
    case .playing: .playing
    case .paused: .paused
    case .buffering: .buffering
    case .seeking: .seeking
    case .preparingCrossfade: .preparingCrossfade
    case .crossfading: .crossfading
    case .crossfadePaused: .crossfadePaused
    case .fadingOut: .fadingOut
    case .finished: .finished
    case .failed: .failed
    }
  }
}
