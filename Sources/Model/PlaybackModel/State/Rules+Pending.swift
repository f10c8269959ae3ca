// Transition rules of the states that wait for a decoder: preparing, buffering, seeking. Pure; control thread.

extension Rules {
  func preparing(_ track: Track, _ intent: Intent, _ start: Frames, _ event: PlayerEvent) -> Step {
    switch event {
    case .play, .pause, .toggle, .interruptionBegan, .announcementBegan, .liveInputBegan, .interruptionEnded,
      .announcementEnded, .liveInputEnded, .standby, .wake, .outputLost,
      .outputRestored:
      guard let new = self.intent(intent, after: event) else { return .stay }
      return .to(.preparing(track: track, intent: settled(new, at: start), start: start))
    case .skip(to: let next?): return prepare(next, intent.forAnotherTrack)
    case .load(let next?, at: let position): return prepare(next, at: position, intent.forAnotherTrack)
    case .removed(let removed, let next):
      return removed.id == track.id ? replaceRemoved(with: next, intent) : .stay
    case .stop, .sleepTimerFired, .skip(to: nil), .load(nil, at: _): return unload
    case .seek(let position): return prepare(track, at: clamp(position, to: track, from: start), intent)
    case .didPrepare:
      return complete(track, at: start, intent, intent.isPlay ? [.nowPlaying(track)] : [])
    case .didFail(let error): return fail(error, track, at: start, intent)
    case .decoderDied(let death): return outlive(death, track, at: start, intent)
    case .storageRemoved(let path):
      return track.lives(beneath: path) ? fail(storageError(track), track, at: start, intent) : .stay
    case .powerFailing: return .stay
    case .retry, .reset, .finishFade: return .meaningless
    case .didStarve, .didRefill, .didSeek, .didAdvance, .didPrepareNext, .didFailNext,
      .nextDecoderDied, .nextDue, .nextWithdrawn, .crossfadeBegan, .crossfadeCompleted, .fadeOutCompleted,
      .didReachEnd, .queueMovedOn:
      return .meaningless
    }
  }

  func buffering(_ track: Track, _ intent: Intent, _ event: PlayerEvent) -> Step {
    switch event {
    case .play, .pause, .toggle, .interruptionBegan, .announcementBegan, .liveInputBegan, .interruptionEnded,
      .announcementEnded, .liveInputEnded, .standby, .wake, .outputLost,
      .outputRestored:
      guard let new = self.intent(intent, after: event) else { return .stay }
      return .to(.buffering(track: track, intent: new))
    case .skip(to: let next?): return prepare(next, .play)
    case .load(let next?, at: let position): return prepare(next, at: position, intent.forAnotherTrack)
    case .stop, .sleepTimerFired, .skip(to: nil), .load(nil, at: _): return unload
    case .removed(let removed, let next):
      return removed.id == track.id ? replaceRemoved(with: next, intent) : .stay
    case .seek(let position):
      return .to(.seeking(track: track, target: clamp(position, to: track, from: here), intent: intent))
    case .didRefill: return complete(track, at: here, intent)
    case .didFail(let error): return fail(error, track, at: here, intent)
    case .decoderDied(let death): return outlive(death, track, at: here, intent)
    case .nextDecoderDied(let death): return outlive(death, .next)
    case .didFailNext(let error): return .stay([.report(error)])
    case .didReachEnd(let next?): return prepare(next, intent.forAnotherTrack, [.nowPlaying(next)])
    case .didReachEnd(nil): return .to(.finished(last: track))
    // The rest of the track was decoded and played before the buffering was handled.
    case .didAdvance(let next):
      switch intent {
      case .play: return .to(.playing(track: next), [.nowPlaying(next)])
      case .pause(let reason):
        return .to(.paused(track: next, position: here, reason: reason), [.nowPlaying(next)])
      case .cue: return .to(.paused(track: next, position: here, reason: .user), [.nowPlaying(next)])
      }
    // The fade was armed when the ring ran dry, and started before it could be cancelled.
    case .crossfadeBegan(let to, let fade):
      switch intent {
      case .play: return beginFade(from: track, to: to, fade)
      case .pause(let reason): return beginPausedFade(from: track, to: to, fade, reason)
      case .cue: return beginPausedFade(from: track, to: to, fade, .user)
      }
    case .storageRemoved(let path):
      return track.lives(beneath: path) ? fail(storageError(track), track, at: here, intent) : .stay
    // Late reports of transitions that a user's request has superseded.
    case .didStarve, .crossfadeCompleted, .fadeOutCompleted, .powerFailing: return .stay
    case .retry, .reset, .finishFade: return .meaningless
    case .didPrepare, .didPrepareNext, .didSeek, .nextDue, .nextWithdrawn, .queueMovedOn: return .meaningless
    }
  }

  func seeking(_ track: Track, _ target: Frames, _ intent: Intent, _ event: PlayerEvent) -> Step {
    switch event {
    case .play, .pause, .toggle, .interruptionBegan, .announcementBegan, .liveInputBegan, .interruptionEnded,
      .announcementEnded, .liveInputEnded, .standby, .wake, .outputLost,
      .outputRestored:
      guard let new = self.intent(intent, after: event) else { return .stay }
      return .to(.seeking(track: track, target: target, intent: new))
    case .skip(to: let next?): return prepare(next, intent.forAnotherTrack)
    case .load(let next?, at: let position): return prepare(next, at: position, intent.forAnotherTrack)
    case .removed(let removed, let next):
      return removed.id == track.id ? replaceRemoved(with: next, intent) : .stay
    case .stop, .sleepTimerFired, .skip(to: nil), .load(nil, at: _): return unload
    case .seek(let position):
      let new = clamp(position, to: track, from: max(here, target))
      return new == target ? .stay : .to(.seeking(track: track, target: new, intent: intent))
    case .didSeek: return complete(track, at: target, intent)
    case .didFail(let error): return fail(error, track, at: target, intent)
    case .decoderDied(let death): return outlive(death, track, at: target, intent)
    case .nextDecoderDied(let death): return outlive(death, .next)
    case .didFailNext(let error): return .stay([.report(error)])
    case .storageRemoved(let path):
      return track.lives(beneath: path) ? fail(storageError(track), track, at: target, intent) : .stay
    // Reports about frames from before the seek.
    case .didStarve, .didRefill, .didAdvance, .crossfadeBegan, .crossfadeCompleted, .fadeOutCompleted,
      .didReachEnd, .powerFailing:
      return .stay
    case .retry, .reset, .finishFade: return .meaningless
    case .didPrepare, .didPrepareNext, .nextDue, .nextWithdrawn, .queueMovedOn: return .meaningless
    }
  }
}
