// Rules of the states in which no deck is loaded: idle, finished, failed. Pure; control thread.

extension Rules {
  func idle(_ cause: PlaybackError?, _ armed: Arming, _ event: PlayerEvent) -> Step {
    func arm(_ new: Arming) -> Step { new == armed ? .stay : .to(.idle(cause: cause, armed: new), []) }
    switch event {
    case .play: return arm(.armed)
    case .pause: return arm(.disarmed)
    case .toggle: return arm(armed == .armed ? .disarmed : .armed)
    case .load(let track?, at: let start):
      return prepare(track, at: start, armed == .armed ? .play : .pause(.user))
    case .skip(to: let track?):
      return prepare(track, armed == .armed ? .play : .pause(.user))
    case .load(nil, at: _):
      return cause == nil ? .stay : .to(.idle(cause: nil, armed: armed), [])
    case .stop, .skip(to: nil), .sleepTimerFired, .powerFailing: return .stay
    // Nothing is heard that they could hold or release; a lost output is remembered by the machine.
    case .interruptionBegan, .interruptionEnded, .standby, .wake, .outputLost, .outputRestored,
      .storageRemoved:
      return .stay
    case .seek, .retry, .reset, .finishFade: return .meaningless
    case .didPrepare, .didFail, .didStarve, .didRefill, .didSeek, .didAdvance, .didPrepareNext,
      .didFailNext, .nextDue, .crossfadeBegan, .crossfadeCompleted, .deckEnded, .deckFailed,
      .fadeOutCompleted, .didReachEnd:
      return .meaningless
    }
  }

  func finished(_ last: Track, _ event: PlayerEvent) -> Step {
    switch event {
    case .play, .toggle: return prepare(last, .play)
    case .seek(let position): return prepare(last, at: position, .pause(.user))
    case .skip(to: let track?): return prepare(track, .play)
    case .load(let track?, at: let start): return prepare(track, at: start, .pause(.user))
    case .stop, .sleepTimerFired, .load(nil, at: _): return .to(.idle(cause: nil, armed: .disarmed), [])
    // Pressing next once more at the end of the queue must not lose what can be played again.
    case .pause, .skip(to: nil), .powerFailing: return .stay
    case .interruptionBegan, .interruptionEnded, .standby, .wake, .outputLost, .outputRestored,
      .storageRemoved:
      return .stay
    // Late: a second stop ended the ramp before its own report came.
    case .fadeOutCompleted: return .stay
    case .retry, .reset, .finishFade: return .meaningless
    case .didPrepare, .didFail, .didStarve, .didRefill, .didSeek, .didAdvance, .didPrepareNext,
      .didFailNext, .nextDue, .crossfadeBegan, .crossfadeCompleted, .deckEnded, .deckFailed,
      .didReachEnd:
      return .meaningless
    }
  }

  func failed(_ error: PlaybackError, _ track: Track?, _ position: Frames, _ event: PlayerEvent) -> Step {
    func retry() -> Step {
      guard error.isRecoverable else { return .reject(.unrecoverable(error)) }
      guard let track else { return .reject(.nothingToRetry) }
      return prepare(track, at: position, .play, first: [.cancelRetry])
    }
    switch event {
    case .play, .toggle, .retry: return retry()
    case .outputRestored: return error.kind == .outputUnavailable && track != nil ? retry() : .stay
    case .skip(to: let track?): return prepare(track, .play, first: [.cancelRetry])
    case .load(let track?, at: let start): return prepare(track, at: start, .play, first: [.cancelRetry])
    case .stop, .sleepTimerFired: return .to(.idle(cause: error, armed: .disarmed), [.cancelRetry])
    case .reset, .load(nil, at: _): return .to(.idle(cause: nil, armed: .disarmed), [.cancelRetry])
    // A queue that has nothing more to offer stays failed, so that the reason stays visible.
    case .pause, .skip(to: nil), .powerFailing: return .stay
    case .interruptionBegan, .interruptionEnded, .standby, .wake, .outputLost, .storageRemoved:
      return .stay
    case .seek, .finishFade: return .meaningless
    case .didPrepare, .didFail, .didStarve, .didRefill, .didSeek, .didAdvance, .didPrepareNext,
      .didFailNext, .nextDue, .crossfadeBegan, .crossfadeCompleted, .deckEnded, .deckFailed,
      .fadeOutCompleted, .didReachEnd:
      return .meaningless
    }
  }
}
