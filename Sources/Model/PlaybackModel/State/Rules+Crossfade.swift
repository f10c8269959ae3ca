// Transition rules of the three crossfade states. Pure; control thread.

extension Rules {
  /// Effects that revert a user's skip before its fade has started: the queue, which has already advanced, returns to
  /// the current track.
  private func standDown(_ plan: PlannedFade, _ current: Track) -> [PlayerEffect] {
    plan.trigger == .manual ? [.nowPlaying(current)] : []
  }

  func preparingCrossfade(_ current: Track, _ next: Track, _ plan: PlannedFade, _ event: PlayerEvent) -> Step
  {
    func promote(_ orders: [PlayerEffect] = []) -> Step {
      .to(.preparing(track: next, intent: .play, start: plan.start), orders + [.nowPlaying(next)])
    }
    func wait(_ plan: PlannedFade) -> Step {
      .to(.preparingCrossfade(current: current, next: next, plan: plan))
    }
    func skip(_ track: Track, at start: Frames) -> Step {
      let start = max(start, .zero)
      if track.id == next.id, start == plan.start {
        // The waiting track need not be opened again.
        guard plan.trigger == .automatic else { return .stay }
        return wait(PlannedFade(.manual, plan.fade, start: start, isArmed: plan.isArmed))
      }
      let fade = manualFade(from: current, to: track) ?? plan.fade.clipped(from: current, to: track)
      guard isAudible(fade) else { return prepare(track, at: start, .play) }
      return .to(
        .preparingCrossfade(current: current, next: track, plan: PlannedFade(.manual, fade, start: start)))
    }
    func goWithout(_ error: PlaybackError) -> Step {
      .to(
        .playing(track: current),
        [.report(error), plan.trigger == .manual ? .skipPast(next) : .passOver(next)])
    }
    switch event {
    case .pause, .toggle: return pause(current, .user, standDown(plan, current))
    case .interruptionBegan, .announcementBegan, .liveInputBegan, .standby, .outputLost:
      guard plan.trigger == .manual else { return pause(current, hold(event)) }
      // A temporary hold must not lose the user's skip: the requested track is the one to resume.
      return prepare(next, at: plan.start, .pause(hold(event)), [.nowPlaying(next)])
    case .stop, .skip(to: nil), .load(nil, at: _):
      return .to(.fadingOut(track: current, duration: settings.stopFrames), standDown(plan, current))
    case .sleepTimerFired:
      return .to(.fadingOut(track: current, duration: settings.sleepFrames), standDown(plan, current))
    case .skip(to: let track?): return skip(track, at: .zero)
    case .load(let track?, at: let start): return skip(track, at: start)
    case .removed(let track, let following):
      // The queue had already advanced to the skip's track, so `following` is the track after that.
      if track.id == next.id, plan.trigger == .manual {
        if let following { return skip(following, at: .zero) }
        return .to(.fadingOut(track: current, duration: settings.stopFrames))
      }
      // After a skip by the user, the current track is already being left.
      guard track.id == current.id, plan.trigger == .automatic else { return .stay }
      guard let following else { return .to(.fadingOut(track: current, duration: settings.stopFrames)) }
      return skip(following, at: .zero)
    case .seek(let position):
      return .to(
        .seeking(track: current, target: clamp(position, to: current, from: here), intent: .play),
        standDown(plan, current))
    case .didPrepareNext:
      guard !plan.isArmed else { return .stay }
      // Limit the fade by the next track's length, which is known now.
      guard isAudible(plan.fade.clipped(from: current, to: next)) else { return promote() }
      var armed = plan
      armed.isArmed = true
      return wait(armed)
    case .nextDue(let track, let fade):
      guard plan.trigger == .automatic else { return .stay }
      guard fade.length > .zero else { return .to(.playing(track: current)) }
      guard track.id != next.id || fade != plan.fade else { return .stay }
      return .to(
        .preparingCrossfade(
          current: current, next: track, plan: PlannedFade(.automatic, fade, isArmed: true)))
    case .nextWithdrawn: return plan.trigger == .automatic ? .to(.playing(track: current)) : .stay
    case .crossfadeBegan(let to, let fade):
      guard to.id == next.id else { return .reject(.wrongTrack(event.kind, in: .preparingCrossfade)) }
      return beginFade(from: current, to: to, fade)
    case .didFailNext(let error): return goWithout(error)
    case .didFail(let error):
      if error.kind == .outputUnavailable { return fail(error, current, at: here, .play) }
      return promote([.report(error)])
    case .decoderDied(let death): return outlive(death)
    case .nextDecoderDied(let death): return outlive(death, .next)
    case .didReachEnd: return promote()
    case .didStarve:
      if plan.trigger == .manual { return promote() }
      return .to(.buffering(track: current, intent: .play))
    case .didAdvance(let track):
      guard track.id == next.id else { return .reject(.wrongTrack(event.kind, in: .preparingCrossfade)) }
      return .to(.playing(track: track), [.nowPlaying(track)])
    case .storageRemoved(let path):
      switch (current.lives(beneath: path), next.lives(beneath: path)) {
      case (true, true): return fail(storageError(current), current, at: here, .play)
      case (true, false): return promote([.report(storageError(current))])
      case (false, true): return goWithout(storageError(next))
      case (false, false): return .stay
      }
    case .play, .interruptionEnded, .announcementEnded, .liveInputEnded, .wake, .outputRestored,
      .powerFailing:
      return .stay
    // Late reports of transitions that a user's request has superseded.
    case .didRefill, .crossfadeCompleted, .fadeOutCompleted: return .stay
    case .retry, .reset, .finishFade: return .meaningless
    case .didPrepare, .didSeek, .queueMovedOn: return .meaningless
    }
  }

  func crossfading(_ fade: RunningFade, _ event: PlayerEvent) -> Step {
    let from = fade.from
    let to = fade.to
    func goBack(_ error: PlaybackError) -> Step {
      .to(.playing(track: from), [.report(error), .nowPlaying(from), .passOver(to)])
    }
    func skip(_ track: Track, at start: Frames) -> Step {
      track.id == to.id && start == .zero ? .to(.playing(track: to)) : replace(to, with: track, at: start)
    }
    switch event {
    case .pause, .toggle, .interruptionBegan, .announcementBegan, .liveInputBegan, .standby, .outputLost:
      return pauseFade(fade, hold(event))
    case .stop, .skip(to: nil), .load(nil, at: _):
      return .to(.fadingOut(track: to, duration: settings.stopFrames))
    case .sleepTimerFired: return .to(.fadingOut(track: to, duration: settings.sleepFrames))
    case .skip(to: let track?): return skip(track, at: .zero)
    case .load(let track?, at: let start): return skip(track, at: start)
    case .seek(let position):
      return .to(.seeking(track: to, target: clamp(position, to: to, from: there), intent: .play))
    case .removed(let track, let next):
      // The outgoing track is already being left.
      guard track.id == to.id else { return .stay }
      guard let next else { return .to(.fadingOut(track: to, duration: settings.stopFrames)) }
      return replace(to, with: next, at: .zero)
    case .finishFade:
      guard fade.pace == .ordered else { return .reject(.nothingToFinish) }
      return .to(
        .crossfading(from: from, to: to, curve: fade.curve, progress: fade.progress, pace: .quick))
    case .crossfadeCompleted: return .to(.playing(track: to))
    case .crossfadeBegan(let track, _):
      return track.id == to.id ? .stay : .reject(.wrongTrack(event.kind, in: .crossfading))
    case .didFail(let error):
      // An output failure affects both tracks.
      if error.kind == .outputUnavailable { return fail(error, to, at: there, .play) }
      return .stay([.report(error)])
    case .didFailNext(let error): return goBack(error)
    case .decoderDied(let death): return outlive(death)
    // Its decoded audio would end within the fade: return to the outgoing track before that.
    case .nextDecoderDied(let death): return death.isRestarted ? outlive(death, .next) : goBack(death.error)
    case .storageRemoved(let path):
      switch (from.lives(beneath: path), to.lives(beneath: path)) {
      case (true, true): return fail(storageError(to), to, at: there, .play)
      case (true, false): return .stay([.report(storageError(from))])
      case (false, true): return goBack(storageError(to))
      case (false, false): return .stay
      }
    // The outgoing track ended and the next one was joined before the fade could start.
    case .didAdvance(let track):
      guard track.id == to.id else { return .reject(.wrongTrack(event.kind, in: .crossfading)) }
      return .to(.playing(track: to))
    // The fade continues without an ended or starved deck. For the incoming deck, the mixer repeats the report after
    // the fade.
    case .didReachEnd, .didStarve, .didRefill: return .stay
    case .play, .interruptionEnded, .announcementEnded, .liveInputEnded, .wake, .outputRestored,
      .powerFailing,
      .fadeOutCompleted:
      return .stay
    case .retry, .reset: return .meaningless
    case .didPrepare, .didSeek, .didPrepareNext, .nextDue, .nextWithdrawn, .queueMovedOn: return .meaningless
    }
  }

  func crossfadePaused(_ fade: PausedFade, _ event: PlayerEvent) -> Step {
    let from = fade.from
    let to = fade.to
    let intent = Intent.pause(fade.reason)
    func because(_ new: PauseReason) -> Step { new == fade.reason ? .stay : .to(fade.state(new)) }
    func resume() -> Step {
      .to(
        .crossfading(
          from: from, to: to, curve: fade.snapshot.curve, progress: fade.snapshot.progress,
          pace: fade.strategy == .quickFinish ? .quick : .ordered))
    }
    func keepIncoming(_ orders: [PlayerEffect]) -> Step {
      .to(.paused(track: to, position: fade.snapshot.toPosition, reason: fade.reason), orders)
    }
    func keepOutgoing(_ error: PlaybackError) -> Step {
      .to(
        .paused(track: from, position: fade.snapshot.fromPosition, reason: fade.reason),
        [.report(error), .nowPlaying(from), .passOver(to)])
    }
    switch event {
    case .play, .toggle: return outputIsLost ? because(.outputLost) : resume()
    case .pause: return because(.user)
    case .interruptionBegan, .announcementBegan, .liveInputBegan, .standby, .outputLost:
      return because(merge(fade.reason, hold(event)) ?? fade.reason)
    case .interruptionEnded, .announcementEnded, .liveInputEnded, .wake, .outputRestored:
      switch release(fade.reason, on: event) {
      case .nothing: return .stay
      case .becomes(let new): return because(new)
      case .resume: return resume()
      }
    case .stop, .sleepTimerFired, .skip(to: nil), .load(nil, at: _): return unload
    case .skip(to: let track?): return prepare(track, .play)
    case .load(let track?, at: let start): return prepare(track, at: start, intent.forAnotherTrack)
    case .removed(let track, let next):
      if track.id == to.id { return replaceRemoved(with: next, intent) }
      return track.id == from.id ? keepIncoming([]) : .stay
    case .seek(let position):
      let target = clamp(position, to: to, from: fade.snapshot.toPosition)
      return .to(.seeking(track: to, target: target, intent: intent))
    case .didFail(let error):
      if error.kind == .outputUnavailable { return fail(error, to, at: fade.snapshot.toPosition, intent) }
      return keepIncoming([.report(error)])
    case .didFailNext(let error): return keepOutgoing(error)
    case .decoderDied(let death): return outlive(death)
    case .nextDecoderDied(let death):
      return death.isRestarted ? outlive(death, .next) : keepOutgoing(death.error)
    case .storageRemoved(let path):
      switch (from.lives(beneath: path), to.lives(beneath: path)) {
      case (true, true): return fail(storageError(to), to, at: fade.snapshot.toPosition, intent)
      case (true, false): return keepIncoming([.report(storageError(from))])
      case (false, true): return keepOutgoing(storageError(to))
      case (false, false): return .stay
      }
    // The fade ended during the pause's ramp: only the incoming track remains.
    case .crossfadeCompleted:
      return .to(
        .paused(track: to, position: max(moment.next ?? fade.snapshot.toPosition, .zero), reason: fade.reason)
      )
    // The tracks were joined before the fade could start.
    case .didAdvance(let track):
      guard track.id == to.id else { return .reject(.wrongTrack(event.kind, in: .crossfadePaused)) }
      return .to(.paused(track: to, position: here, reason: fade.reason))
    case .crossfadeBegan(let track, _):
      return track.id == to.id ? .stay : .reject(.wrongTrack(event.kind, in: .crossfadePaused))
    // These reports are about frames before the pause took effect.
    case .didReachEnd, .didStarve, .didRefill, .fadeOutCompleted, .powerFailing: return .stay
    case .retry, .reset, .finishFade: return .meaningless
    case .didPrepare, .didPrepareNext, .didSeek, .nextDue, .nextWithdrawn, .queueMovedOn: return .meaningless
    }
  }
}

/// A running crossfade.
struct RunningFade {
  let from: Track
  let to: Track
  let curve: FadeCurve
  let progress: FadeProgress
  let pace: FadePace
}

/// A paused crossfade.
struct PausedFade {
  let from: Track
  let to: Track
  let strategy: ResumeStrategy
  let snapshot: CrossfadeSnapshot
  let reason: PauseReason

  func state(_ reason: PauseReason) -> PlayerState {
    .crossfadePaused(from: from, to: to, strategy: strategy, snapshot: snapshot, reason: reason)
  }
}
