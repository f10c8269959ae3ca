// Transition rules of the states without a loaded deck: idle, finished, failed. Pure; control thread.

extension Rules {
  func idle(_ cause: PlaybackError?, _ armed: Arming, _ event: PlayerEvent) -> Step {
    func arm(_ new: Arming) -> Step { new == armed ? .stay : .to(.idle(cause: cause, armed: new)) }
    switch event {
    case .play: return arm(.armed)
    case .pause: return arm(.disarmed)
    case .toggle: return arm(armed == .armed ? .disarmed : .armed)
    case .load(let track?, at: let start):
      return prepare(track, at: start, armed == .armed ? .play : .cue)
    // A skip plays in every state that is not paused.
    case .skip(to: let track?): return prepare(track, .play)
    case .load(nil, at: _):
      return cause == nil ? .stay : .to(.idle(cause: nil, armed: armed))
    case .stop, .skip(to: nil), .sleepTimerFired, .powerFailing, .removed: return .stay
    // Nothing is playing that could be paused or resumed. The state machine keeps a lost output separately.
    case .interruptionBegan, .announcementBegan, .liveInputBegan, .interruptionEnded, .announcementEnded,
      .liveInputEnded, .standby, .wake,
      .outputLost, .outputRestored,
      .storageRemoved:
      return .stay
    case .seek, .retry, .reset, .finishFade: return .meaningless
    case .didPrepare, .didFail, .didStarve, .didRefill, .didSeek, .didAdvance, .didPrepareNext, .didFailNext,
      .decoderDied, .nextDecoderDied, .nextDue, .nextWithdrawn, .crossfadeBegan, .crossfadeCompleted,
      .fadeOutCompleted, .didReachEnd,
      .queueMovedOn:
      return .meaningless
    }
  }

  func finished(_ last: Track, _ event: PlayerEvent) -> Step {
    switch event {
    case .play, .toggle: return prepare(last, .play)
    // A seek beyond the end has no effect, because the track has ended.
    case .seek(let position):
      if let length = last.length, position >= length { return .stay }
      return prepare(last, at: position, .cue)
    case .skip(to: let track?): return prepare(track, .play)
    case .load(let track?, at: let start): return prepare(track, at: start, .cue)
    case .removed(let track, let next): return track.id == last.id ? replaceRemoved(with: next, .cue) : .stay
    case .stop, .sleepTimerFired, .load(nil, at: _): return unload
    // Another next at the end of the queue must keep the track that can be played again.
    case .pause, .skip(to: nil), .powerFailing: return .stay
    case .interruptionBegan, .announcementBegan, .liveInputBegan, .interruptionEnded, .announcementEnded,
      .liveInputEnded, .standby, .wake,
      .outputLost, .outputRestored,
      .storageRemoved:
      return .stay
    case .retry, .reset, .finishFade: return .meaningless
    case .didPrepare, .didFail, .didStarve, .didRefill, .didSeek, .didAdvance, .didPrepareNext, .didFailNext,
      .decoderDied, .nextDecoderDied, .nextDue, .nextWithdrawn, .crossfadeBegan, .crossfadeCompleted,
      .fadeOutCompleted, .didReachEnd,
      .queueMovedOn:
      return .meaningless
    }
  }

  func failed(_ failure: FailedTrack, _ intent: Intent, _ event: PlayerEvent) -> Step {
    func retry(_ intent: Intent) -> Step {
      guard let track = failure.track else { return .reject(.nothingToRetry) }
      return prepare(track, at: failure.position, intent)
    }
    switch event {
    case .play, .toggle: return retry(.play)
    case .retry: return retry(intent)
    case .outputRestored where failure.error.kind == .outputUnavailable && failure.track != nil:
      return retry(self.intent(intent, after: event) ?? intent)
    // A hold applies to the next retry as well.
    case .pause, .interruptionBegan, .announcementBegan, .liveInputBegan, .interruptionEnded,
      .announcementEnded,
      .liveInputEnded, .standby,
      .wake, .outputLost, .outputRestored:
      guard let new = self.intent(intent, after: event) else { return .stay }
      return .to(failure.state(settled(new, at: failure.position)))
    case .skip(to: let track?): return prepare(track, .play)
    // Nothing is playing: the loaded track is cued, or keeps the present pause reason.
    case .load(let track?, at: let start):
      return prepare(track, at: start, intent.isPlay ? .cue : intent.forAnotherTrack)
    case .queueMovedOn(to: let track): return prepare(track, intent.forAnotherTrack, [.nowPlaying(track)])
    case .removed(let track, let next):
      guard track.id == failure.track?.id else { return .stay }
      return replaceRemoved(with: next, intent, next.map { [.nowPlaying($0)] } ?? [])
    case .stop, .sleepTimerFired: return .to(.idle(cause: failure.error, armed: .disarmed))
    case .reset, .load(nil, at: _): return unload
    // At the end of the queue the state stays failed, so that the error stays visible.
    case .skip(to: nil), .storageRemoved, .powerFailing: return .stay
    case .seek, .finishFade: return .meaningless
    case .didPrepare, .didFail, .didStarve, .didRefill, .didSeek, .didAdvance, .didPrepareNext, .didFailNext,
      .decoderDied, .nextDecoderDied, .nextDue, .nextWithdrawn, .crossfadeBegan, .crossfadeCompleted,
      .fadeOutCompleted, .didReachEnd:
      return .meaningless
    }
  }
}
