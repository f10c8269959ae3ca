// How a state read from a checkpoint is taken up again. Pure; control thread.

extension Rules {
  /// The state to start in, and the orders that bring the decks there.
  func restored(_ state: PlayerState) -> (state: PlayerState, effects: [PlayerEffect]) {
    func prepare(_ track: Track, _ position: Frames, _ intent: Intent) -> (PlayerState, [PlayerEffect]) {
      let start = clamp(position, to: track)
      // Nobody reports the end of an interruption, or the return of an output, from before the restart.
      let intent =
        switch intent {
        case .pause(.interruption), .pause(.outputLost), .play: Intent.play
        case .pause(.user), .pause(.standby): intent
        }
      return (.preparing(track: track, intent: intent, start: start), [.prepare(track, at: start)])
    }
    switch state {
    case .idle, .finished: return (state, [])
    case .preparing(let track, let intent, let start): return prepare(track, start, intent)
    case .ready(let track, let position): return prepare(track, position, .pause(.user))
    case .playing(let track): return prepare(track, here, .play)
    case .buffering(let track, let intent): return prepare(track, here, intent)
    case .seeking(let track, let target, let intent): return prepare(track, target, intent)
    case .preparingCrossfade(let current, _, _): return prepare(current, here, .play)
    case .paused(let track, let position, let reason): return prepare(track, position, .pause(reason))
    case .crossfading(let from, let to, let curve, let progress, _):
      let running = RunningFade(from: from, to: to, curve: curve, progress: latest(progress))
      guard case .to(let paused, _) = pauseFade(running, .outputLost, []) else { return (state, []) }
      return restored(paused)
    case .crossfadePaused(let from, let to, let strategy, let snapshot, let reason):
      let held = PausedFade(from: from, to: to, strategy: strategy, snapshot: snapshot, reason: reason)
      return (
        held.state(reason == .interruption ? .outputLost : reason),
        [.prepare(from, at: snapshot.fromPosition), .prepareNext(to, at: snapshot.toPosition)]
      )
    case .fadingOut(let track, _): return (.finished(last: track), [])
    case .failed(let error, let track?, let position) where error.isRecoverable:
      return prepare(track, position, .play)
    case .failed(let error, _, _): return (.idle(cause: error, armed: .disarmed), [])
    }
  }
}
