// The states of an engine, without their contents. Values; any thread.

import PlaybackModel

/// The state of an engine. docs/reference/states.md lists the transitions between states.
public enum EngineState: Hashable, Sendable {
  /// Nothing is loaded.
  case idle
  /// A decoder is opening the track; no sound yet.
  case preparing
  /// A track is cued and was never started.
  case ready
  /// A track is playing.
  case playing
  /// Paused with everything kept: ``EngineCommand/play`` resumes at the same frame.
  case paused
  /// The decoder is too slow; playback resumes by itself once enough is decoded.
  case buffering
  /// The decoder is moving to another position.
  case seeking
  /// A track is playing while the next one is being prepared for a crossfade.
  case preparingCrossfade
  /// Two tracks are playing in a crossfade.
  case crossfading
  /// Paused during a crossfade with everything kept.
  case crossfadePaused
  /// Ramping down to a stop.
  case fadingOut
  /// The queue was played to its end, or playback was stopped.
  case finished
  /// Failed: the preceding ``EngineEvent/Kind/error(_:)`` has the reason. Temporary failures are retried
  /// automatically.
  case failed

  init(_ kind: PlayerState.Kind) {
    self =
      switch kind {
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
