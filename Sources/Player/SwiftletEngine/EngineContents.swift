// A snapshot of an engine's state with its tracks, position and error. Values; any thread.

import PlaybackModel

/// An engine's state with its contents: one side of an ``EngineTransition``.
public struct EngineContents: Hashable, Sendable {
  /// The reason of a pause.
  public enum PauseReason: Hashable, Sendable {
    /// The user paused.
    case user
    /// Another application needs the output.
    case interruption
    /// The device is in standby.
    case standby
    /// The output is gone.
    case outputLost
    /// An announcement is playing.
    case announcement
    /// A live source is playing.
    case liveSource
  }

  /// The state.
  public let state: EngineState
  /// The state as text for a display, such as `Crossfading 47%` or `Buffering, will stay paused`.
  public let text: String
  /// Whether music is playing, or will play when pending work completes.
  public let isActive: Bool
  /// The current track; in a crossfade the incoming one.
  public let track: EngineTrack?
  /// The outgoing track of a crossfade; nil otherwise.
  public let outgoing: EngineTrack?
  /// The track that a crossfade is being prepared for; nil otherwise.
  public let next: EngineTrack?
  /// The position in ``track`` at which playback stands or will start, in seconds; nil while it is playing.
  public let position: Double?
  /// Progress of a crossfade, 0 to 1; nil outside a crossfade.
  public let fadeProgress: Double?
  /// The reason of a pause, also of a pause that takes effect only when pending work completes.
  public let pauseReason: PauseReason?
  /// The error of ``EngineState/failed``, or the error that led to ``EngineState/idle``.
  public let error: EngineError?

  init(_ model: PlayerState, rate: SampleRate) {
    func track(_ track: Track?) -> EngineTrack? { track.map { EngineTrack($0, rate: rate) } }
    func seconds(_ frames: Frames) -> Double { rate.seconds(frames).value }
    state = EngineState(model.kind)
    text = model.statusText
    isActive = model.isActive
    self.track = track(model.heardTrack)
    fadeProgress = model.fadeProgress.map { Double($0.fraction) }
    outgoing = model.fadeProgress == nil ? nil : track(model.currentTrack)
    next = model.fadeProgress == nil ? track(model.nextTrack) : nil
    var reason = model.pauseReason
    var failure: PlaybackError?
    switch model {
    case .idle(let cause, _):
      position = nil
      failure = cause
    case .preparing(_, let intent, let place), .seeking(_, let place, let intent):
      position = seconds(place)
      if case .pause(let held) = intent { reason = held }
    case .ready(_, let place), .paused(_, let place, _): position = seconds(place)
    case .buffering(_, let intent):
      position = nil
      if case .pause(let held) = intent { reason = held }
    case .crossfadePaused(_, _, _, let snapshot, _): position = seconds(snapshot.toPosition)
    case .failed(let error, _, let place, let intent):
      position = seconds(place)
      failure = error
      if case .pause(let held) = intent { reason = held }
    case .playing, .preparingCrossfade, .crossfading, .fadingOut, .finished: position = nil
    }
    pauseReason = reason.map { PauseReason($0) }
    error = failure.map { EngineError($0) }
  }
}

extension EngineContents.PauseReason {
  init(_ reason: PlaybackModel.PauseReason) {
    self =
      switch reason {
      case .user: .user
      case .interruption: .interruption
      case .standby: .standby
      case .outputLost: .outputLost
      case .announcement: .announcement
      case .liveInput: .liveSource
      }
  }
}
