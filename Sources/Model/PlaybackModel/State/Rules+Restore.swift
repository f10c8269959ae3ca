// Restores the player's state from a checkpoint. Pure; control thread.

extension Rules {
  /// The state to start in; the decks are loaded from it.
  ///
  /// - Parameters:
  ///   - state: The saved state.
  ///   - isRestart: Whether the process was restarted, not only the output changed.
  func restored(_ state: PlayerState, isRestart: Bool) -> PlayerState {
    /// Whether a pause reason has ended, because its end will not be reported any more.
    func isOver(_ reason: PauseReason) -> Bool {
      switch reason {
      case .user, .standby: false
      case .interruption: isRestart
      // Announcements and live inputs end with their output.
      case .outputLost, .announcement, .liveInput: true
      }
    }
    func prepare(_ track: Track, _ position: Frames, _ intent: Intent) -> PlayerState {
      var intent = intent
      if case .pause(let reason) = intent, isOver(reason) { intent = .play }
      return .preparing(track: track, intent: intent, start: max(position, .zero))
    }
    switch state {
    case .idle, .finished: return state
    case .preparing(let track, let intent, let start): return prepare(track, start, intent)
    case .ready(let track, let position): return prepare(track, position, .cue)
    case .playing(let track): return prepare(track, here, .play)
    case .buffering(let track, let intent): return prepare(track, here, intent)
    case .seeking(let track, let target, let intent): return prepare(track, target, intent)
    case .preparingCrossfade(let current, _, _): return prepare(current, here, .play)
    case .paused(let track, let position, let reason): return prepare(track, position, .pause(reason))
    case .crossfading(let from, let to, let curve, let progress, let pace):
      let running = RunningFade(from: from, to: to, curve: curve, progress: latest(progress), pace: pace)
      guard case .to(let paused, _) = pauseFade(running, .outputLost) else { return state }
      return restored(paused, isRestart: isRestart)
    case .crossfadePaused(let from, let to, let strategy, let snapshot, let reason):
      let held = PausedFade(from: from, to: to, strategy: strategy, snapshot: snapshot, reason: reason)
      return held.state(isOver(reason) ? .outputLost : reason)
    case .fadingOut(let track, _): return .finished(last: track)
    case .failed(let error, let track?, let position, let intent) where error.isRecoverable:
      return prepare(track, position, intent)
    // After a change of the output, next and previous continue from the failed track.
    case .failed(let error, _, _, _): return isRestart ? .idle(cause: error, armed: .disarmed) : state
    }
  }
}
