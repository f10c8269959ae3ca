// Transition rules of the states with one track on a deck: ready, playing, paused, fadingOut. Pure; control thread.

extension Rules {
  func ready(_ track: Track, _ position: Frames, _ event: PlayerEvent) -> Step {
    switch event {
    // A track that was cued as the first of the queue becomes its current one.
    case .play, .toggle: return sound(track, at: position, [.nowPlaying(track)])
    case .skip(to: let next?): return prepare(next, .play)
    case .load(let next?, at: let start): return prepare(next, at: start, .cue)
    case .removed(let removed, let next):
      return removed.id == track.id ? replaceRemoved(with: next, .cue) : .stay
    case .stop, .sleepTimerFired, .skip(to: nil), .load(nil, at: _): return unload
    case .seek(let target):
      return .to(
        .seeking(track: track, target: clamp(target, to: track, from: position), intent: .cue))
    case .didFail(let error): return fail(error, track, at: position, .cue)
    case .decoderDied(let death): return outlive(death, track, at: position, .cue)
    case .storageRemoved(let path):
      return track.lives(beneath: path)
        ? fail(storageError(track), track, at: position, .cue) : .stay
    case .pause, .powerFailing: return .stay
    case .interruptionBegan, .announcementBegan, .liveInputBegan, .interruptionEnded, .announcementEnded,
      .liveInputEnded, .standby, .wake,
      .outputLost, .outputRestored:
      return .stay
    case .retry, .reset, .finishFade: return .meaningless
    case .didPrepare, .didStarve, .didRefill, .didSeek, .didAdvance, .didPrepareNext, .didFailNext,
      .nextDecoderDied, .nextDue, .nextWithdrawn, .crossfadeBegan, .crossfadeCompleted, .fadeOutCompleted,
      .didReachEnd, .queueMovedOn:
      return .meaningless
    }
  }

  func playing(_ track: Track, _ event: PlayerEvent) -> Step {
    switch event {
    case .pause, .toggle, .interruptionBegan, .announcementBegan, .liveInputBegan, .standby, .outputLost:
      return pause(track, hold(event))
    case .stop, .skip(to: nil), .load(nil, at: _):
      return .to(.fadingOut(track: track, duration: settings.stopFrames))
    case .sleepTimerFired: return .to(.fadingOut(track: track, duration: settings.sleepFrames))
    case .skip(to: let next?): return replace(track, with: next, at: .zero)
    case .load(let next?, at: let start): return replace(track, with: next, at: start)
    case .removed(let removed, let next):
      guard removed.id == track.id else { return .stay }
      guard let next else { return .to(.fadingOut(track: track, duration: settings.stopFrames)) }
      return replace(track, with: next, at: .zero)
    case .seek(let position):
      return .to(.seeking(track: track, target: clamp(position, to: track, from: here), intent: .play))
    case .didStarve: return .to(.buffering(track: track, intent: .play))
    case .nextDue(let next, let fade):
      guard fade.length > .zero else { return .stay }
      return .to(
        .preparingCrossfade(current: track, next: next, plan: PlannedFade(.automatic, fade, isArmed: true)))
    case .didAdvance(let next): return .to(.playing(track: next), [.nowPlaying(next)])
    case .didReachEnd(let next?): return prepare(next, .play, [.nowPlaying(next)])
    case .didReachEnd(nil): return .to(.finished(last: track))
    case .didFail(let error): return fail(error, track, at: here, .play)
    case .didFailNext(let error): return .stay([.report(error)])
    case .decoderDied(let death): return outlive(death)
    case .nextDecoderDied(let death): return outlive(death, .next)
    // Armed, paused and resumed in quick succession: the fade started before it could be cancelled.
    case .crossfadeBegan(let to, let fade): return beginFade(from: track, to: to, fade)
    case .storageRemoved(let path):
      return track.lives(beneath: path) ? fail(storageError(track), track, at: here, .play) : .stay
    case .play, .interruptionEnded, .announcementEnded, .liveInputEnded, .wake, .outputRestored,
      .powerFailing:
      return .stay
    // Late reports of transitions that a user's request has superseded.
    case .didRefill, .crossfadeCompleted, .fadeOutCompleted: return .stay
    case .retry, .reset, .finishFade: return .meaningless
    case .didPrepare, .didPrepareNext, .didSeek, .nextWithdrawn, .queueMovedOn: return .meaningless
    }
  }

  func paused(_ track: Track, _ position: Frames, _ reason: PauseReason, _ event: PlayerEvent) -> Step {
    let intent = Intent.pause(reason)
    func because(_ new: PauseReason) -> Step {
      new == reason ? .stay : .to(.paused(track: track, position: position, reason: new))
    }
    switch event {
    case .play, .toggle:
      // Without an output, playback resumes when the output is back.
      return outputIsLost ? because(.outputLost) : .to(.playing(track: track))
    case .pause: return because(.user)
    case .interruptionBegan, .announcementBegan, .liveInputBegan, .standby, .outputLost:
      return because(merge(reason, hold(event)) ?? reason)
    case .interruptionEnded, .announcementEnded, .liveInputEnded, .wake, .outputRestored:
      switch release(reason, on: event) {
      case .nothing: return .stay
      case .becomes(let new): return because(new)
      case .resume: return .to(.playing(track: track))
      }
    case .skip(to: let next?): return prepare(next, .play)
    case .load(let next?, at: let start): return prepare(next, at: start, intent.forAnotherTrack)
    case .removed(let removed, let next):
      return removed.id == track.id ? replaceRemoved(with: next, intent) : .stay
    case .stop, .sleepTimerFired, .skip(to: nil), .load(nil, at: _): return unload
    case .seek(let target):
      return .to(.seeking(track: track, target: clamp(target, to: track, from: position), intent: intent))
    case .didStarve: return .to(.buffering(track: track, intent: intent))
    case .didFail(let error): return fail(error, track, at: position, intent)
    case .didFailNext(let error): return .stay([.report(error)])
    case .decoderDied(let death): return outlive(death)
    case .nextDecoderDied(let death): return outlive(death, .next)
    case .storageRemoved(let path):
      return track.lives(beneath: path) ? fail(storageError(track), track, at: position, intent) : .stay
    // This happened during the pause's ramp; the mixer's report is authoritative.
    case .didAdvance(let next):
      return .to(.paused(track: next, position: here, reason: reason), [.nowPlaying(next)])
    case .didReachEnd(let next?): return prepare(next, intent.forAnotherTrack, [.nowPlaying(next)])
    case .didReachEnd(nil): return .to(.finished(last: track))
    case .crossfadeBegan(let to, let fade): return beginPausedFade(from: track, to: to, fade, reason)
    case .didRefill, .crossfadeCompleted, .fadeOutCompleted, .powerFailing: return .stay
    case .retry, .reset, .finishFade: return .meaningless
    case .didPrepare, .didPrepareNext, .didSeek, .nextDue, .nextWithdrawn, .queueMovedOn: return .meaningless
    }
  }

  func fadingOut(_ track: Track, _ duration: Frames, _ event: PlayerEvent) -> Step {
    switch event {
    case .play, .toggle:
      return outputIsLost
        ? .to(.paused(track: track, position: here, reason: .outputLost)) : .to(.playing(track: track))
    case .pause: return .to(.paused(track: track, position: here, reason: .user))
    // A stop was requested. A pause here would let the end of the interruption revert it.
    case .stop, .skip(to: nil), .load(nil, at: _), .interruptionBegan, .announcementBegan, .liveInputBegan,
      .standby,
      .outputLost:
      return .to(.finished(last: track))
    // The stopped track restarts from its beginning; another one replaces it as during playback.
    case .skip(to: let next?):
      return next.id == track.id ? prepare(next, .play) : replace(track, with: next, at: .zero)
    // A stop was requested, so the loaded track is only cued.
    case .load(let next?, at: let start): return prepare(next, at: start, .cue)
    // The track is already being faded out; the sleep timer's long ramp is cut short.
    case .removed(let removed, _):
      return removed.id == track.id && duration > settings.stopFrames ? .to(.finished(last: track)) : .stay
    case .fadeOutCompleted: return .to(.finished(last: track))
    case .didAdvance(let next): return .to(.fadingOut(track: next, duration: duration), [.nowPlaying(next)])
    // The fade was armed before the stop: both tracks fade out, and the incoming one becomes the current one.
    case .crossfadeBegan(let next, _):
      return .to(.fadingOut(track: next, duration: duration), [.nowPlaying(next)])
    // The track is being faded out anyway; only report the error.
    case .didFail(let error), .didFailNext(let error): return .stay([.report(error)])
    case .decoderDied(let death): return outlive(death)
    case .nextDecoderDied(let death): return outlive(death, .next)
    case .storageRemoved(let path):
      return track.lives(beneath: path) ? .stay([.report(storageError(track))]) : .stay
    // The track ended before the ramp was complete.
    case .didReachEnd: return .to(.finished(last: track))
    case .didStarve, .didRefill, .crossfadeCompleted, .sleepTimerFired, .interruptionEnded,
      .announcementEnded, .liveInputEnded, .wake,
      .outputRestored, .powerFailing:
      return .stay
    case .seek, .retry, .reset, .finishFade: return .meaningless
    case .didPrepare, .didPrepareNext, .didSeek, .nextDue, .nextWithdrawn, .queueMovedOn: return .meaningless
    }
  }
}
