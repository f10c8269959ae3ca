// Rules of the states that wait for a decoder: preparing, buffering, seeking. Pure; control thread.

extension Rules {
  func preparing(_ track: Track, _ intent: Intent, _ start: Frames, _ event: PlayerEvent) -> Step {
    switch event {
    case .play, .pause, .toggle, .interruptionBegan, .interruptionEnded, .standby, .wake, .outputLost,
      .outputRestored:
      guard let new = self.intent(intent, after: event) else { return .stay }
      return .to(.preparing(track: track, intent: new, start: start), [])
    case .skip(to: let next?): return prepare(next, intent)
    case .load(let next?, at: let position): return prepare(next, at: position, intent)
    case .stop, .sleepTimerFired, .skip(to: nil), .load(nil, at: _):
      return .to(.idle(cause: nil, armed: .disarmed), [.releaseAll(ramped: true)])
    case .seek(let position): return prepare(track, at: position, intent)
    case .didPrepare:
      // Cued for a person who has not asked to play is ready; held by an interruption is paused, so that
      // the interruption's end lets it play.
      if intent == .pause(.user) { return .to(.ready(track: track, position: start), []) }
      return complete(track, at: start, intent, start: .start(ramped: start > .zero))
    case .didFail(let error), .deckFailed(.current, let error): return fail(error, track, at: start)
    case .storageRemoved(let path):
      return track.lives(beneath: path) ? fail(storageError(track), track, at: start) : .stay
    case .powerFailing: return .stay
    case .retry, .reset, .finishFade: return .meaningless
    case .didStarve, .didRefill, .didSeek, .didAdvance, .didPrepareNext, .didFailNext, .nextDue,
      .crossfadeBegan, .crossfadeCompleted, .deckEnded, .deckFailed(.next, _), .fadeOutCompleted,
      .didReachEnd:
      return .meaningless
    }
  }

  func buffering(_ track: Track, _ intent: Intent, _ event: PlayerEvent) -> Step {
    switch event {
    case .play, .pause, .toggle, .interruptionBegan, .interruptionEnded, .standby, .wake, .outputLost,
      .outputRestored:
      guard let new = self.intent(intent, after: event) else { return .stay }
      return .to(.buffering(track: track, intent: new), [])
    case .skip(to: let next?): return prepare(next, .play)
    case .load(let next?, at: let position): return prepare(next, at: position, .play)
    case .stop, .sleepTimerFired, .skip(to: nil), .load(nil, at: _):
      return .to(.idle(cause: nil, armed: .disarmed), [.releaseAll(ramped: true)])
    case .seek(let position):
      let target = clamp(position, to: track)
      return .to(.seeking(track: track, target: target, intent: intent), [.seek(track, to: target)])
    case .didRefill: return complete(track, at: here, intent, start: .start(ramped: true))
    case .didFail(let error), .deckFailed(.current, let error):
      return fail(error, track, at: here)
    case .didFailNext(let error), .deckFailed(.next, let error): return .stay(offerAnother(error))
    case .didReachEnd, .deckEnded(.current):
      return .to(.finished(last: track), [.releaseAll(ramped: false)])
    // The fade was armed when the ring ran empty, and began before it could be taken off the timeline.
    case .crossfadeBegan(let to, let fade):
      switch intent {
      case .play: return beginFade(from: track, to: to, fade, [.nowPlaying(to)])
      case .pause(let reason):
        let progress = latest(FadeProgress(index: .zero, length: fade.length))
        let running = RunningFade(from: track, to: to, curve: fade.curve, progress: progress)
        return pauseFade(running, reason, [.nowPlaying(to), pauseOrder(reason)])
      }
    case .storageRemoved(let path):
      return track.lives(beneath: path) ? fail(storageError(track), track, at: here) : .stay
    // A next track may be cued meanwhile; the others are late reports of edges a person has overtaken.
    case .didPrepareNext, .didStarve, .crossfadeCompleted, .fadeOutCompleted, .powerFailing: return .stay
    case .retry, .reset, .finishFade: return .meaningless
    case .didPrepare, .didSeek, .didAdvance, .nextDue, .deckEnded(.next): return .meaningless
    }
  }

  func seeking(_ track: Track, _ target: Frames, _ intent: Intent, _ event: PlayerEvent) -> Step {
    switch event {
    case .play, .pause, .toggle, .interruptionBegan, .interruptionEnded, .standby, .wake, .outputLost,
      .outputRestored:
      guard let new = self.intent(intent, after: event) else { return .stay }
      return .to(.seeking(track: track, target: target, intent: new), [])
    case .skip(to: let next?): return prepare(next, intent)
    case .load(let next?, at: let position): return prepare(next, at: position, intent)
    case .stop, .sleepTimerFired, .skip(to: nil), .load(nil, at: _):
      return .to(.idle(cause: nil, armed: .disarmed), [.releaseAll(ramped: true)])
    case .seek(let position):
      let new = clamp(position, to: track)
      guard new != target else { return .stay }
      return .to(.seeking(track: track, target: new, intent: intent), [.seek(track, to: new)])
    case .didSeek: return complete(track, at: target, intent, start: .start(ramped: true))
    case .didFail(let error), .deckFailed(.current, let error): return fail(error, track, at: target)
    case .didFailNext(let error), .deckFailed(.next, let error): return .stay(offerAnother(error))
    case .storageRemoved(let path):
      return track.lives(beneath: path) ? fail(storageError(track), track, at: target) : .stay
    // A next track may be cued meanwhile; all others are about frames that the seek has made moot.
    case .didPrepareNext, .didStarve, .didRefill, .didAdvance, .crossfadeBegan, .crossfadeCompleted,
      .deckEnded, .fadeOutCompleted, .didReachEnd, .powerFailing:
      return .stay
    case .retry, .reset, .finishFade: return .meaningless
    case .didPrepare, .nextDue: return .meaningless
    }
  }
}
