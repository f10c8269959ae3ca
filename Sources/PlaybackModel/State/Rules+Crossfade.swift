// Rules of the three crossfade states. Pure; control thread.

extension Rules {
  /// What takes a waiting fade back. The next track stays cued; the queue, which a person's skip has
  /// moved already, goes back to what is heard.
  private func standDown(_ plan: PlannedFade, _ current: Track) -> [PlayerEffect] {
    var orders: [PlayerEffect] = []
    if plan.isArmed { orders.append(.disarmCrossfade) }
    if plan.trigger == .manual { orders.append(.nowPlaying(current)) }
    return orders
  }

  func preparingCrossfade(_ current: Track, _ next: Track, _ plan: PlannedFade, _ event: PlayerEvent) -> Step
  {
    func promote(_ first: [PlayerEffect] = []) -> Step {
      .to(
        .preparing(track: next, intent: .play, start: plan.start),
        first + [.promoteNext(next), .nowPlaying(next)])
    }
    func skip(_ track: Track, at start: Frames) -> Step {
      let start = clamp(start, to: track)
      if track.id == next.id, start == plan.start {
        // The very track that waits: it need not be opened again.
        if plan.isArmed {
          return beginFade(
            from: current, to: next, plan.fade, [.beginCrossfade(from: current, to: next, plan.fade)])
        }
        guard plan.trigger == .automatic else { return .stay }
        return .to(
          .preparingCrossfade(
            current: current, next: next, plan: PlannedFade(.manual, plan.fade, start: start)), [])
      }
      let fade = manualFade(from: current, to: track) ?? plan.fade.clipped(from: current, to: track)
      guard fade.length > .zero else { return prepare(track, at: start, .play) }
      return .to(
        .preparingCrossfade(current: current, next: track, plan: PlannedFade(.manual, fade, start: start)),
        [.cancelNext, .prepareNext(track, at: start)])
    }
    switch event {
    case .pause, .toggle, .interruptionBegan, .standby, .outputLost:
      return pause(current, hold(event), first: standDown(plan, current))
    case .stop, .skip(to: nil), .load(nil, at: _):
      return fadeOut(current, over: settings.stopFrames, first: standDown(plan, current))
    case .sleepTimerFired:
      return fadeOut(current, over: settings.sleepFrames, first: standDown(plan, current))
    case .skip(to: let track?): return skip(track, at: .zero)
    case .load(let track?, at: let start): return skip(track, at: start)
    case .seek(let position):
      let target = clamp(position, to: current)
      return .to(
        .seeking(track: current, target: target, intent: .play),
        standDown(plan, current) + [.seek(current, to: target)])
    case .didPrepareNext:
      switch plan.trigger {
      case .manual:
        return beginFade(
          from: current, to: next, plan.fade, [.beginCrossfade(from: current, to: next, plan.fade)])
      case .automatic:
        guard !plan.isArmed else { return .stay }
        var armed = plan
        armed.isArmed = true
        return .to(
          .preparingCrossfade(current: current, next: next, plan: armed),
          [.armCrossfade(from: current, to: next, plan.fade)])
      }
    case .crossfadeBegan(let to, let fade):
      guard to.id == next.id else { return .reject(.wrongTrack(event.kind, in: .preparingCrossfade)) }
      return beginFade(from: current, to: to, fade, [.nowPlaying(to)])
    case .didFailNext(let error), .deckFailed(.next, let error):
      return .to(.playing(track: current), offerAnother(error))
    case .didFail(let error), .deckFailed(.current, let error):
      if error.kind == .outputUnavailable { return fail(error, current, at: here) }
      return promote([.report(error)])
    case .deckEnded(.current), .didReachEnd: return promote()
    case .didStarve:
      if plan.trigger == .manual { return promote() }
      return .to(.buffering(track: current, intent: .play), standDown(plan, current))
    case .didAdvance(let track):
      guard track.id == next.id else { return .reject(.wrongTrack(event.kind, in: .preparingCrossfade)) }
      return .to(.playing(track: track), [.nowPlaying(track)])
    case .storageRemoved(let path):
      switch (current.lives(beneath: path), next.lives(beneath: path)) {
      case (true, true): return fail(storageError(current), current, at: here)
      case (true, false): return promote([.report(storageError(current))])
      case (false, true): return .to(.playing(track: current), offerAnother(storageError(next)))
      case (false, false): return .stay
      }
    case .play, .interruptionEnded, .wake, .outputRestored, .powerFailing: return .stay
    // Late reports of edges a person has overtaken.
    case .crossfadeCompleted, .fadeOutCompleted: return .stay
    case .retry, .reset, .finishFade: return .meaningless
    case .didPrepare, .didRefill, .didSeek, .nextDue, .deckEnded(.next): return .meaningless
    }
  }

  func crossfading(_ fade: RunningFade, _ canQuickFinish: Bool, _ event: PlayerEvent) -> Step {
    let from = fade.from
    let to = fade.to
    let collapse = PlayerEffect.collapseCrossfade(to: to, ramp: settings.collapseFrames)
    func goBack(_ error: PlaybackError) -> Step {
      .to(
        .playing(track: from),
        [.report(error), .revertCrossfade(to: from, ramp: settings.collapseFrames), .chooseNext])
    }
    func skip(_ track: Track, at start: Frames) -> Step {
      track.id == to.id && start == .zero
        ? .to(.playing(track: to), [collapse]) : replace(to, with: track, at: start, first: [collapse])
    }
    switch event {
    case .pause, .toggle, .interruptionBegan, .standby, .outputLost:
      return pauseFade(fade, hold(event), [pauseOrder(hold(event))])
    case .stop, .skip(to: nil), .load(nil, at: _): return fadeOut(to, over: settings.stopFrames)
    case .sleepTimerFired: return fadeOut(to, over: settings.sleepFrames)
    case .skip(to: let track?): return skip(track, at: .zero)
    case .load(let track?, at: let start): return skip(track, at: start)
    case .seek(let position):
      let target = clamp(position, to: to)
      return .to(
        .seeking(track: to, target: target, intent: .play), [collapse, .seek(to, to: target)])
    case .finishFade:
      guard canQuickFinish else { return .reject(.nothingToFinish) }
      let timing = FadeTiming(finishing: fade.progress, over: settings.quickFinishFrames)
      return .to(
        .crossfading(from: from, to: to, curve: fade.curve, progress: fade.progress, canQuickFinish: false),
        [.quickFinishCrossfade(timing)])
    case .crossfadeCompleted: return .to(.playing(track: to), [])
    case .crossfadeBegan(let track, _):
      return track.id == to.id ? .stay : .reject(.wrongTrack(event.kind, in: .crossfading))
    case .didFail(let error), .deckFailed(.current, let error):
      // A failed output is neither track's fault and silences both.
      if error.kind == .outputUnavailable { return fail(error, to, at: there) }
      return .stay([.report(error)])
    case .didFailNext(let error), .deckFailed(.next, let error): return goBack(error)
    case .storageRemoved(let path):
      switch (from.lives(beneath: path), to.lives(beneath: path)) {
      case (true, true): return fail(storageError(to), to, at: there)
      case (true, false): return .stay([.report(storageError(from))])
      case (false, true): return goBack(storageError(to))
      case (false, false): return .stay
      }
    // The outgoing track ended and the cued one was joined to it before the fade could begin.
    case .didAdvance(let track):
      guard track.id == to.id else { return .reject(.wrongTrack(event.kind, in: .crossfading)) }
      return .to(.playing(track: to), [collapse])
    // The fade goes on without a deck that has ended or starves; if it is the incoming one, the mixer says
    // so again once it is alone. An end without a fade can only be older than the order to begin it.
    case .deckEnded, .didReachEnd, .didStarve, .didRefill: return .stay
    case .play, .interruptionEnded, .wake, .outputRestored, .powerFailing, .fadeOutCompleted: return .stay
    case .retry, .reset: return .meaningless
    case .didPrepare, .didSeek, .didPrepareNext, .nextDue: return .meaningless
    }
  }

  func crossfadePaused(_ fade: PausedFade, _ event: PlayerEvent) -> Step {
    let from = fade.from
    let to = fade.to
    func because(_ new: PauseReason) -> Step { new == fade.reason ? .stay : .to(fade.state(new), []) }
    func resume() -> Step {
      let progress = fade.snapshot.progress
      let timing: FadeTiming
      let canQuickFinish: Bool
      switch fade.strategy {
      case .continueFromProgress:
        timing = FadeTiming(continuing: progress)
        canQuickFinish = progress.remaining > settings.quickFinishFrames
      case .quickFinish where progress.remaining <= settings.quickFinishFrames:
        // Nothing is to be gained: the outgoing track may well have no more than the rest of the fade.
        timing = FadeTiming(continuing: progress)
        canQuickFinish = false
      case .quickFinish:
        timing = FadeTiming(finishing: progress, over: settings.quickFinishFrames)
        canQuickFinish = false
      }
      return .to(
        .crossfading(
          from: from, to: to, curve: fade.snapshot.curve, progress: progress, canQuickFinish: canQuickFinish),
        [.resumeCrossfade(fade.strategy, timing, ramp: settings.pauseFrames)])
    }
    func keepIncoming(_ orders: [PlayerEffect]) -> Step {
      .to(
        .paused(track: to, position: fade.snapshot.toPosition, reason: fade.reason),
        orders + [.collapseCrossfade(to: to, ramp: .zero)])
    }
    func keepOutgoing(_ error: PlaybackError) -> Step {
      .to(
        .paused(track: from, position: fade.snapshot.fromPosition, reason: fade.reason),
        [.report(error), .revertCrossfade(to: from, ramp: .zero), .chooseNext])
    }
    switch event {
    case .play, .toggle: return outputIsLost ? because(.outputLost) : resume()
    case .pause: return because(.user)
    case .interruptionBegan, .standby, .outputLost:
      return because(merge(fade.reason, hold(event)) ?? fade.reason)
    case .interruptionEnded, .wake, .outputRestored:
      switch release(fade.reason, on: event) {
      case .nothing: return .stay
      case .becomes(let new): return because(new)
      case .resume: return resume()
      }
    case .stop, .sleepTimerFired, .skip(to: nil), .load(nil, at: _):
      return .to(.idle(cause: nil, armed: .disarmed), [.releaseAll(ramped: true)])
    case .skip(to: let track?): return prepare(track, .play)
    case .load(let track?, at: let start): return prepare(track, at: start, .pause(.user))
    case .seek(let position):
      let target = clamp(position, to: to)
      return .to(
        .seeking(track: to, target: target, intent: .pause(fade.reason)),
        [.collapseCrossfade(to: to, ramp: .zero), .seek(to, to: target)])
    case .didFail(let error), .deckFailed(.current, let error):
      if error.kind == .outputUnavailable { return fail(error, to, at: fade.snapshot.toPosition) }
      return keepIncoming([.report(error)])
    case .didFailNext(let error), .deckFailed(.next, let error): return keepOutgoing(error)
    case .storageRemoved(let path):
      switch (from.lives(beneath: path), to.lives(beneath: path)) {
      case (true, true): return fail(storageError(to), to, at: fade.snapshot.toPosition)
      case (true, false): return keepIncoming([.report(storageError(from))])
      case (false, true): return keepOutgoing(storageError(to))
      case (false, false): return .stay
      }
    // It had ended before the pause took effect: the incoming track is alone.
    case .crossfadeCompleted:
      return .to(
        .paused(
          track: to, position: max(moment.next ?? fade.snapshot.toPosition, .zero), reason: fade.reason), [])
    // Joined without a fade before it could begin: the same.
    case .didAdvance(let track):
      guard track.id == to.id else { return .reject(.wrongTrack(event.kind, in: .crossfadePaused)) }
      return .to(
        .paused(track: to, position: here, reason: fade.reason),
        [.collapseCrossfade(to: to, ramp: .zero)])
    case .crossfadeBegan(let track, _):
      return track.id == to.id ? .stay : .reject(.wrongTrack(event.kind, in: .crossfadePaused))
    // After a restart both decks are cued anew; decks that end or starve do so before the pause is heard.
    case .didPrepare, .didPrepareNext, .deckEnded, .didReachEnd, .didStarve, .didRefill,
      .fadeOutCompleted, .powerFailing:
      return .stay
    case .retry, .reset, .finishFade: return .meaningless
    case .didSeek, .nextDue: return .meaningless
    }
  }
}
