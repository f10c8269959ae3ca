// Rules of the states with one track on a deck: ready, playing, paused, fadingOut. Pure; control thread.

extension Rules {
  func ready(_ track: Track, _ position: Frames, _ event: PlayerEvent) -> Step {
    switch event {
    case .play, .toggle: return sound(track, at: position, by: .start(ramped: position > .zero))
    case .skip(to: let next?): return prepare(next, .play)
    case .load(let next?, at: let start): return prepare(next, at: start, .pause(.user))
    case .stop, .sleepTimerFired, .skip(to: nil), .load(nil, at: _):
      return .to(.idle(cause: nil, armed: .disarmed), [.releaseAll(ramped: false)])
    case .seek(let position):
      let target = clamp(position, to: track)
      return .to(.seeking(track: track, target: target, intent: .pause(.user)), [.seek(track, to: target)])
    case .didFail(let error), .deckFailed(.current, let error): return fail(error, track, at: position)
    case .didFailNext(let error), .deckFailed(.next, let error): return .stay(offerAnother(error))
    case .storageRemoved(let path):
      return track.lives(beneath: path) ? fail(storageError(track), track, at: position) : .stay
    case .pause, .didPrepareNext, .powerFailing: return .stay
    case .interruptionBegan, .interruptionEnded, .standby, .wake, .outputLost, .outputRestored:
      return .stay
    case .retry, .reset, .finishFade: return .meaningless
    case .didPrepare, .didStarve, .didRefill, .didSeek, .didAdvance, .nextDue, .crossfadeBegan,
      .crossfadeCompleted, .deckEnded, .fadeOutCompleted, .didReachEnd:
      return .meaningless
    }
  }

  func playing(_ track: Track, _ event: PlayerEvent) -> Step {
    switch event {
    case .pause, .toggle, .interruptionBegan, .standby, .outputLost: return pause(track, hold(event))
    case .stop, .skip(to: nil), .load(nil, at: _): return fadeOut(track, over: settings.stopFrames)
    case .sleepTimerFired: return fadeOut(track, over: settings.sleepFrames)
    case .skip(to: let next?): return replace(track, with: next, at: .zero)
    case .load(let next?, at: let start): return replace(track, with: next, at: start)
    case .seek(let position):
      let target = clamp(position, to: track)
      return .to(.seeking(track: track, target: target, intent: .play), [.seek(track, to: target)])
    case .didStarve: return .to(.buffering(track: track, intent: .play), [])
    case .nextDue(let next, let fade):
      let clipped = fade.clipped(from: track, to: next)
      guard clipped.length > .zero else { return .stay([.prepareNext(next, at: .zero)]) }
      return .to(
        .preparingCrossfade(current: track, next: next, plan: PlannedFade(.automatic, clipped)),
        [.prepareNext(next, at: .zero)])
    case .didAdvance(let next): return .to(.playing(track: next), [.nowPlaying(next)])
    case .didReachEnd, .deckEnded(.current):
      return .to(.finished(last: track), [.releaseAll(ramped: false)])
    case .didFail(let error), .deckFailed(.current, let error):
      return fail(error, track, at: here)
    case .didFailNext(let error), .deckFailed(.next, let error): return .stay(offerAnother(error))
    // Armed, paused and resumed at once: the fade had begun before it was taken off the timeline.
    case .crossfadeBegan(let to, let fade): return beginFade(from: track, to: to, fade, [.nowPlaying(to)])
    case .storageRemoved(let path):
      return track.lives(beneath: path) ? fail(storageError(track), track, at: here) : .stay
    case .play, .interruptionEnded, .wake, .outputRestored, .powerFailing: return .stay
    // A next track may be cued ahead; the others are late reports of edges a person has overtaken.
    case .didPrepareNext, .crossfadeCompleted, .fadeOutCompleted: return .stay
    case .retry, .reset, .finishFade: return .meaningless
    case .didPrepare, .didRefill, .didSeek, .deckEnded(.next): return .meaningless
    }
  }

  func paused(_ track: Track, _ position: Frames, _ reason: PauseReason, _ event: PlayerEvent) -> Step {
    func because(_ new: PauseReason) -> Step {
      new == reason ? .stay : .to(.paused(track: track, position: position, reason: new), [])
    }
    switch event {
    case .play, .toggle:
      // Without an output it means: as soon as it is back.
      if outputIsLost { return because(.outputLost) }
      return .to(.playing(track: track), [.resume(ramp: settings.pauseFrames)])
    case .pause: return because(.user)
    case .interruptionBegan, .standby, .outputLost: return because(merge(reason, hold(event)) ?? reason)
    case .interruptionEnded, .wake, .outputRestored:
      switch release(reason, on: event) {
      case .nothing: return .stay
      case .becomes(let new): return because(new)
      case .resume: return .to(.playing(track: track), [.resume(ramp: settings.pauseFrames)])
      }
    case .skip(to: let next?): return prepare(next, .play)
    case .load(let next?, at: let start): return prepare(next, at: start, .pause(.user))
    // The ramp into the pause may still be falling.
    case .stop, .sleepTimerFired, .skip(to: nil), .load(nil, at: _):
      return .to(.idle(cause: nil, armed: .disarmed), [.releaseAll(ramped: true)])
    case .seek(let position):
      let target = clamp(position, to: track)
      return .to(
        .seeking(track: track, target: target, intent: .pause(reason)), [.seek(track, to: target)])
    case .didStarve: return .to(.buffering(track: track, intent: .pause(reason)), [])
    case .didFail(let error), .deckFailed(.current, let error): return fail(error, track, at: position)
    case .didFailNext(let error), .deckFailed(.next, let error): return .stay(offerAnother(error))
    case .storageRemoved(let path):
      return track.lives(beneath: path) ? fail(storageError(track), track, at: position) : .stay
    // Heard before the pause took effect: the mixer's picture is the true one.
    case .didAdvance(let next):
      return .to(.paused(track: next, position: here, reason: reason), [.nowPlaying(next)])
    case .didReachEnd, .deckEnded(.current):
      return .to(.finished(last: track), [.releaseAll(ramped: false)])
    case .crossfadeBegan(let to, let fade):
      let progress = latest(FadeProgress(index: .zero, length: fade.length))
      let running = RunningFade(from: track, to: to, curve: fade.curve, progress: progress)
      return pauseFade(running, reason, [.nowPlaying(to)])
    case .didPrepareNext, .crossfadeCompleted, .fadeOutCompleted, .powerFailing: return .stay
    case .retry, .reset, .finishFade: return .meaningless
    case .didPrepare, .didRefill, .didSeek, .nextDue, .deckEnded(.next): return .meaningless
    }
  }

  func fadingOut(_ track: Track, _ duration: Frames, _ event: PlayerEvent) -> Step {
    switch event {
    case .play, .toggle:
      if outputIsLost {
        return .to(
          .paused(track: track, position: here, reason: .outputLost), [.freezeFadeOut])
      }
      return .to(.playing(track: track), [.reverseFadeOut(ramp: settings.pauseFrames)])
    case .pause:
      return .to(.paused(track: track, position: here, reason: .user), [.freezeFadeOut])
    // A stop has been asked for. Pausing here would let the end of the interruption undo it.
    case .stop, .skip(to: nil), .load(nil, at: _), .interruptionBegan, .standby, .outputLost:
      return .to(.finished(last: track), [.releaseAll(ramped: true)])
    case .skip(to: let next?): return prepare(next, .play)
    case .load(let next?, at: let start): return prepare(next, at: start, .play)
    case .fadeOutCompleted: return .to(.finished(last: track), [.releaseAll(ramped: false)])
    case .didAdvance(let next):
      return .to(.fadingOut(track: next, duration: duration), [.nowPlaying(next)])
    // Falling silent anyway: nothing to do but to remember why.
    case .didFail(let error), .deckFailed(_, let error), .didFailNext(let error):
      return .stay([.report(error)])
    case .storageRemoved(let path):
      return track.lives(beneath: path) ? .stay([.report(storageError(track))]) : .stay
    case .didStarve, .didRefill, .didPrepareNext, .crossfadeBegan, .crossfadeCompleted, .deckEnded,
      .didReachEnd, .sleepTimerFired, .interruptionEnded, .wake, .outputRestored, .powerFailing:
      return .stay
    case .seek, .retry, .reset, .finishFade: return .meaningless
    case .didPrepare, .didSeek, .nextDue: return .meaningless
    }
  }
}
