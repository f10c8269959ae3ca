// A state of an engine with what it holds, for those who embed it. Values; any thread.

import PlaybackModel

/// A state of an engine with its contents: one side of an ``EngineTransition``.
public struct EngineContents: Hashable, Sendable {
  /// The reason of a pause.
  public enum PauseReason: Hashable, Sendable {
    /// A person asked for it.
    case user
    /// Another sound needs the loudspeaker.
    case interruption
    /// The device is in standby.
    case standby
    /// The output is gone.
    case outputLost
    /// An announcement sounds.
    case announcement
    /// A live source sounds.
    case liveSource
  }

  /// The state.
  public let state: EngineState
  /// The state in words for a display, such as `Crossfading 47%` or `Buffering, will stay paused`.
  public let text: String
  /// Whether music is heard, or will be when pending work completes.
  public let isActive: Bool
  /// The track that is heard or would be; in a crossfade the incoming one.
  public let track: EngineTrack?
  /// The outgoing track of a crossfade.
  public let outgoing: EngineTrack?
  /// The track that a crossfade is prepared for.
  public let next: EngineTrack?
  /// The position in ``track`` at which the engine stands or will begin, in seconds; nil while it is heard.
  public let position: Double?
  /// How far a crossfade has come, 0 to 1.
  public let fadeProgress: Double?
  /// The reason of a pause, also of one that waits for pending work.
  public let pauseReason: PauseReason?
  /// The failure of ``EngineState/failed``, or the one that led to ``EngineState/idle``.
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
