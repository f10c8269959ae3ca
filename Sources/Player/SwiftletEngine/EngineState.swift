// What an engine is doing, for those who embed it. Values; any thread.

import PlaybackModel

/// What an engine is doing. docs/states.md says what leads from one state to another.
public enum EngineState: Hashable, Sendable {
  /// Nothing is loaded.
  case idle
  /// A decoder opens the track; silence.
  case preparing
  /// A track is cued and was never started.
  case ready
  /// A track is heard.
  case playing
  /// Silent, everything kept: ``EngineCommand/play`` goes on at the same frame.
  case paused
  /// The decoder does not keep up; playing goes on by itself.
  case buffering
  /// The decoder moves to another position.
  case seeking
  /// A track is heard, and the next is made ready to be faded in.
  case preparingCrossfade
  /// Two tracks are heard.
  case crossfading
  /// Stopped in the middle of a crossfade, everything kept.
  case crossfadePaused
  /// Ramping down to a stop.
  case fadingOut
  /// The queue has been played, or was stopped.
  case finished
  /// Needs help; the ``EngineEvent/Kind/error(_:)`` before said why. What can be mended by waiting is tried again.
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
