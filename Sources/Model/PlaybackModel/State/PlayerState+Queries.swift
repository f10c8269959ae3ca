// Queries on the player's state for displays, keys and LEDs. Pure; control thread.

extension PlayerState {
  /// Whether music is playing or will play without user action.
  package var isActive: Bool {
    switch self {
    case .playing, .preparingCrossfade, .crossfading, .fadingOut: true
    case .preparing(_, let intent, _), .buffering(_, let intent), .seeking(_, _, let intent): intent.isPlay
    case .idle, .ready, .paused, .crossfadePaused, .finished, .failed: false
    }
  }

  /// Whether `play` would have an effect.
  package var canPlay: Bool {
    switch self {
    case .idle(_, let armed): armed == .disarmed
    case .preparing(_, let intent, _), .buffering(_, let intent), .seeking(_, _, let intent): !intent.isPlay
    case .ready, .paused, .crossfadePaused, .fadingOut, .finished: true
    case .playing, .preparingCrossfade, .crossfading: false
    case .failed(_, let track, _, _): track != nil
    }
  }

  /// Whether the player has failed and only the user can retry.
  package var hasFailedForGood: Bool {
    if case .failed(let error, _?, _, _) = self { !error.isRecoverable } else { false }
  }

  /// Whether nothing happens without user action.
  package var isTerminal: Bool {
    switch self {
    case .finished: true
    case .failed(let error, let track, _, _): !error.isRecoverable || track == nil
    default: false
    }
  }

  /// Whether the state is one of the three crossfade states.
  package var isCrossfadeRelated: Bool {
    switch self {
    case .preparingCrossfade, .crossfading, .crossfadePaused: true
    default: false
    }
  }

  /// Why playback is paused; nil if it is not.
  package var pauseReason: PauseReason? {
    switch self {
    case .paused(_, _, let reason), .crossfadePaused(_, _, _, _, let reason): reason
    default: nil
    }
  }

  /// The current track; in a fade, the outgoing one. `Moment.current` is its position.
  package var currentTrack: Track? {
    switch self {
    case .idle: nil
    case .preparing(let track, _, _), .ready(let track, _), .playing(let track), .paused(let track, _, _),
      .buffering(let track, _), .seeking(let track, _, _), .fadingOut(let track, _), .finished(let track):
      track
    case .preparingCrossfade(let current, _, _): current
    case .crossfading(let from, _, _, _, _), .crossfadePaused(let from, _, _, _, _): from
    case .failed(_, let track, _, _): track
    }
  }

  /// The incoming track of a fade. `Moment.next` is its position.
  package var nextTrack: Track? {
    switch self {
    case .preparingCrossfade(_, let next, _): next
    case .crossfading(_, let to, _, _, _), .crossfadePaused(_, let to, _, _, _): to
    default: nil
    }
  }

  /// Progress of a running or paused fade; nil in other states.
  package var fadeProgress: FadeProgress? {
    switch self {
    case .crossfading(_, _, _, let progress, _): progress
    case .crossfadePaused(_, _, _, let snapshot, _): snapshot.progress
    default: nil
    }
  }

  /// The state in words, with a percentage in a fade, such as "Crossfading 47%".
  package var statusText: String {
    switch self {
    case .idle(let cause, let armed):
      cause != nil ? "Stopped after an error" : armed == .armed ? "Waiting for music" : "Idle"
    case .preparing(_, let intent, _): "Preparing" + Self.suffix(intent)
    case .ready: "Ready"
    case .playing: "Playing"
    case .paused(_, _, let reason): "Paused" + Self.suffix(reason)
    case .buffering(_, let intent): "Buffering" + Self.suffix(intent)
    case .seeking(_, _, let intent): "Seeking" + Self.suffix(intent)
    case .preparingCrossfade: "Playing, next is coming"
    case .crossfading(_, _, _, let progress, _): "Crossfading " + Self.percent(progress)
    case .crossfadePaused(_, _, let strategy, let snapshot, let reason):
      "Crossfade paused at " + Self.percent(snapshot.progress) + Self.suffix(reason)
        + (strategy == .quickFinish ? ", then finishes quickly" : ", then continues")
    case .fadingOut: "Fading out"
    case .finished: "Finished"
    case .failed(let error, _, _, let intent):
      !error.isRecoverable
        ? "Failed" : intent.isPlay ? "Failed, will retry" : "Failed while paused, will retry"
    }
  }

  /// The state with its track or error, for one line of a display, such as "Playing: So What".
  package var displayText: String {
    switch self {
    case .idle(let cause?, _): return statusText + ": " + cause.sentence
    case .failed(let error, _, _, _): return statusText + ": " + error.sentence
    default: break
    }
    guard let current = currentTrack else { return statusText }
    guard let next = nextTrack else { return statusText + ": " + current.displayName }
    return statusText + ": " + current.displayName + " → " + next.displayName
  }

  /// The LED indication of the state.
  package var indicator: Indicator {
    switch self {
    case .idle(_, .armed): Indicator(.green, .flashes(1))
    case .idle: Indicator(.none, .off)
    case .preparing(_, let intent, _), .buffering(_, let intent), .seeking(_, _, let intent):
      Indicator(.green, intent.isPlay ? .fastBlink : .rareBlink)
    case .ready: Indicator(.green, .slowBlink)
    case .playing: Indicator(.green, .steady)
    case .paused(_, _, .outputLost), .crossfadePaused(_, _, _, _, .outputLost):
      PlaybackError(.outputUnavailable).indicator
    case .paused: Indicator(.green, .breathing)
    case .preparingCrossfade: Indicator(.cyan, .steady)
    case .crossfading: Indicator(.blue, .steady)
    case .crossfadePaused: Indicator(.blue, .breathing)
    case .fadingOut: Indicator(.violet, .steady)
    case .finished: Indicator(.none, .off)
    case .failed(let error, _, _, _): error.indicator
    }
  }

  /// Whether a display should show that a track is loading.
  package var showsLoading: Bool {
    switch self {
    case .preparing, .buffering, .seeking: true
    case .preparingCrossfade(_, _, let plan): plan.trigger == .manual
    case .idle, .ready, .playing, .paused, .crossfading, .crossfadePaused, .fadingOut, .finished, .failed:
      false
    }
  }

  /// The track that the user is listening to, or would be after `play`; in a fade, the incoming one.
  package var heardTrack: Track? {
    switch self {
    case .crossfading(_, let to, _, _, _), .crossfadePaused(_, let to, _, _, _): to
    default: currentTrack
    }
  }

  /// Whether the contents are consistent: positions are not negative, progress is within its fade, and a snapshot
  /// belongs to the state's tracks. The state machine only creates valid states.
  package var isValid: Bool {
    switch self {
    case .idle, .playing, .buffering, .finished: true
    case .preparing(_, _, let position), .ready(_, let position), .paused(_, let position, _),
      .seeking(_, let position, _), .failed(_, _, let position, _):
      position >= .zero
    case .preparingCrossfade(_, _, let plan):
      plan.fade.length > .zero && plan.start >= .zero
    case .crossfading(_, _, _, let progress, _):
      progress.index >= .zero && progress.index <= progress.length && progress.length > .zero
    case .crossfadePaused(let from, let to, _, let snapshot, _):
      snapshot.from == from.id && snapshot.to == to.id && snapshot.fromPosition >= .zero
        && snapshot.toPosition >= .zero && snapshot.progress.index <= snapshot.progress.length
        && snapshot.progress.length > .zero
    case .fadingOut(_, let duration): duration >= .zero
    }
  }

  /// The state with an updated track in place of the track with the same id; nil if the state has none.
  func replacing(_ track: Track) -> PlayerState? {
    guard currentTrack?.id == track.id || nextTrack?.id == track.id else { return nil }
    func new(_ old: Track) -> Track { old.id == track.id ? track : old }
    switch self {
    case .idle: return self
    case .preparing(_, let intent, let start):
      return .preparing(track: track, intent: intent, start: start)
    case .ready(_, let position): return .ready(track: track, position: position)
    case .playing: return .playing(track: track)
    case .paused(_, let position, let reason):
      return .paused(track: track, position: position, reason: reason)
    case .buffering(_, let intent): return .buffering(track: track, intent: intent)
    case .seeking(_, let target, let intent):
      return .seeking(track: track, target: target, intent: intent)
    case .preparingCrossfade(let current, let next, let plan):
      return .preparingCrossfade(current: new(current), next: new(next), plan: plan)
    case .crossfading(let from, let to, let curve, let progress, let pace):
      return .crossfading(from: new(from), to: new(to), curve: curve, progress: progress, pace: pace)
    case .crossfadePaused(let from, let to, let strategy, let snapshot, let reason):
      return .crossfadePaused(
        from: new(from), to: new(to), strategy: strategy, snapshot: snapshot, reason: reason)
    case .fadingOut(_, let duration): return .fadingOut(track: track, duration: duration)
    case .finished: return .finished(last: track)
    case .failed(let error, _, let position, let intent):
      return .failed(error: error, track: track, position: position, intent: intent)
    }
  }

  private static func percent(_ progress: FadeProgress) -> String { String(progress.percent) + "%" }

  private static func suffix(_ reason: PauseReason) -> String {
    reason == .user ? "" : " (" + reason.name + ")"
  }

  /// The intent as text, if it is not to play.
  private static func suffix(_ intent: Intent) -> String {
    switch intent {
    case .play: ""
    case .pause(let reason): ", will stay paused" + suffix(reason)
    case .cue: ", will stay paused"
    }
  }
}
