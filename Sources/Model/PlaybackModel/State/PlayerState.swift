// The thirteen states of the player; crossfades have their own states. Pure values; control thread.

/// The state of the player.
package enum PlayerState: Hashable, Sendable {
  /// No track is loaded. `cause` is the failure that led here.
  case idle(cause: PlaybackError?, armed: Arming)
  /// The decoder opens the track at `start`; silent.
  case preparing(track: Track, intent: Intent, start: Frames)
  /// The track is cued and was never started.
  case ready(track: Track, position: Frames)
  /// The track is playing.
  case playing(track: Track)
  /// Paused at `position`; the decoders keep running.
  case paused(track: Track, position: Frames, reason: PauseReason)
  /// The decoder is too slow; silent until the ring has enough frames.
  case buffering(track: Track, intent: Intent)
  /// The decoder seeks to `target`.
  case seeking(track: Track, target: Frames, intent: Intent)
  /// `current` is playing; `next` is being opened or waits for its start frame.
  case preparingCrossfade(current: Track, next: Track, plan: PlannedFade)
  /// Both tracks are playing. Displayed positions and relative seeks refer to `to`.
  case crossfading(from: Track, to: Track, curve: FadeCurve, progress: FadeProgress, pace: FadePace)
  /// A paused fade. The snapshot is sufficient to continue after a power cut.
  case crossfadePaused(
    from: Track, to: Track, strategy: ResumeStrategy, snapshot: CrossfadeSnapshot, reason: PauseReason)
  /// Ramping down to a stop within `duration`.
  case fadingOut(track: Track, duration: Frames)
  /// Stopped, or at the end of the queue; `last` can be played again.
  case finished(last: Track)
  /// Failed. `position` is where a retry continues; `intent` is whether it then plays, so that a paused track stays
  /// paused.
  case failed(error: PlaybackError, track: Track?, position: Frames, intent: Intent)

  /// The states without their payloads.
  package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    case idle, preparing, ready, playing, paused, buffering, seeking, preparingCrossfade, crossfading
    case crossfadePaused, fadingOut, finished, failed

    /// Name in tables, the history and the console.
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

  /// The kind of the state.
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
