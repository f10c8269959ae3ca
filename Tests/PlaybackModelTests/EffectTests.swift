// What the machine orders where it matters, and in which sequence.
import PlaybackModel
import Testing

private func run(
  _ state: PlayerState, _ event: PlayerEvent, manual: Bool = false, percent: Int = 30
) -> Outcome {
  var settings = PlayerSettings(rate: rate)
  settings.fadesManually = manual
  settings.manualFadeLength = Seconds(4)
  var machine = PlayerStateMachine(state: state, settings: settings)
  return machine.handle(event, at: moment(percent: percent))
}

@Suite struct EffectTests {
  @Test func aTrackFromItsBeginningStartsWithoutARamp() {
    let fromStart = run(.preparing(track: one, intent: .play, start: .zero), .didPrepare)
    #expect(fromStart.effects == [.start(ramped: false), .checkpoint])
    let fromWithin = run(.preparing(track: one, intent: .play, start: Frames(1)), .didPrepare)
    #expect(fromWithin.effects == [.start(ramped: true), .checkpoint])
  }

  @Test func pauseAndResumeRampOver200Milliseconds() {
    let paused = run(.playing(track: one), .pause)
    #expect(paused.effects == [.pause(ramp: Frames(9600)), .checkpoint])
    #expect(paused.state == .paused(track: one, position: Frames(9_100_000), reason: .user))
    #expect(run(paused.state, .play).effects == [.resume(ramp: Frames(9600)), .checkpoint])
    #expect(run(.playing(track: one), .outputLost).effects == [.pause(ramp: .zero), .checkpoint])
  }

  @Test func aManualSkipFadesFromTheEarliestFrame() {
    let fade = Fade(Seconds(4), curve: .equalPower, rate: rate)
    let skipped = run(.playing(track: one), .skip(to: three), manual: true)
    #expect(skipped.effects == [.prepareNext(three, at: .zero), .checkpoint])
    #expect(
      skipped.state
        == .preparingCrossfade(current: one, next: three, plan: PlannedFade(.manual, fade)))
    #expect(
      run(skipped.state, .didPrepareNext).effects
        == [.beginCrossfade(from: one, to: three, fade), .checkpoint])
    let cut = run(.playing(track: one), .load(three, at: Frames(500)))
    #expect(cut.effects == [.prepare(three, at: Frames(500)), .checkpoint])
  }

  @Test func anAutomaticFadeWaitsArmed() {
    let due = run(.playing(track: one), .nextDue(two, fade: tenSeconds))
    let armed = run(due.state, .didPrepareNext)
    #expect(armed.effects == [.armCrossfade(from: one, to: two, tenSeconds), .checkpoint])
    let began = run(armed.state, .crossfadeBegan(to: two, fade: tenSeconds), percent: 0)
    #expect(began.effects == [.nowPlaying(two), .checkpoint])
    #expect(began.state == fading(0))
    let paused = run(armed.state, .pause)
    #expect(paused.effects == [.disarmCrossfade, .pause(ramp: Frames(9600)), .checkpoint])
    // Skipping to the very track that waits does not open it again.
    let skipped = run(armed.state, .skip(to: two))
    #expect(skipped.state.kind == .crossfading)
    #expect(skipped.effects == [.beginCrossfade(from: one, to: two, tenSeconds), .checkpoint])
  }

  @Test func fadesAreClippedToHalfOfTheShorterTrack() {
    let short = track(9, "/srv/jingle.wav", length: Frames(48_000 * 6))
    guard
      case .preparingCrossfade(_, _, let plan) = run(
        .playing(track: one), .nextDue(short, fade: tenSeconds)
      ).state
    else {
      Issue.record("no fade")
      return
    }
    #expect(plan.fade.length == Frames(48_000 * 3))
    let empty = track(9, "/srv/empty.wav", length: Frames(1))
    let joined = run(.playing(track: one), .nextDue(empty, fade: tenSeconds))
    #expect(joined.verdict == .unchanged && joined.effects == [.prepareNext(empty, at: .zero)])
  }

  @Test(arguments: [0, 1, 30, 47, 49, 50, 80, 100])
  func aPausedFadeContinuesBelowHalfAndFinishesQuicklyFromHalf(percent: Int) {
    let paused = run(fading(percent), .pause, percent: percent)
    guard case .crossfadePaused(_, _, let strategy, let snapshot, .user) = paused.state else {
      Issue.record("\(paused.state)")
      return
    }
    #expect(snapshot.fromPosition == Frames(9_100_000) && snapshot.toPosition == Frames(144_000))
    #expect(snapshot.deck == .b && snapshot.progress == progress(percent: percent))
    #expect(strategy == (percent < 50 ? .continueFromProgress : .quickFinish))
    let timing =
      percent < 50 || snapshot.progress.remaining <= Frames(48_000)
      ? FadeTiming(continuing: snapshot.progress)
      : FadeTiming(finishing: snapshot.progress, over: Frames(48_000))
    let resumed = run(paused.state, .play)
    #expect(resumed.effects == [.resumeCrossfade(strategy, timing, ramp: Frames(9600)), .checkpoint])
    #expect(resumed.state == fading(percent, canQuickFinish: percent < 50))
  }

  @Test func aFadeCollapsesForSeekSkipAndFailure() {
    let collapse = PlayerEffect.collapseCrossfade(to: two, ramp: Frames(2400))
    let sought = run(fading(20), .seek(Frames(77)))
    #expect(sought.state == .seeking(track: two, target: Frames(77), intent: .play))
    #expect(sought.effects == [collapse, .seek(two, to: Frames(77)), .checkpoint])
    let silent = run(held(30, .user), .seek(Frames(77)))
    #expect(silent.state == .seeking(track: two, target: Frames(77), intent: .pause(.user)))
    #expect(silent.effects.first == .collapseCrossfade(to: two, ramp: .zero))
    let skipped = run(fading(20), .skip(to: three), manual: true)
    #expect(skipped.effects == [collapse, .prepareNext(three, at: .zero), .checkpoint])
    #expect(skipped.state.currentTrack == two)
    let failed = run(fading(20), .deckFailed(.next, corrupt))
    #expect(
      failed.effects
        == [.report(corrupt), .revertCrossfade(to: one, ramp: Frames(2400)), .chooseNext, .checkpoint])
    #expect(failed.state == .playing(track: one))
    let lost = run(fading(20), .deckFailed(.current, corrupt))
    #expect(lost.verdict == .unchanged && lost.effects == [.report(corrupt)])
  }

  @Test func stoppingAFadeRampsBothAndKeepsTheIncoming() {
    let stopped = run(fading(20), .stop)
    #expect(stopped.state == .fadingOut(track: two, duration: Frames(24_000)))
    #expect(stopped.effects == [.beginFadeOut(length: Frames(24_000)), .checkpoint])
    #expect(
      run(.playing(track: one), .sleepTimerFired).effects.first == .beginFadeOut(length: Frames(960_000)))
    let sleeping = PlayerState.fadingOut(track: one, duration: Frames(960_000))
    #expect(run(sleeping, .didAdvance(two)).state == .fadingOut(track: two, duration: Frames(960_000)))
    #expect(run(stopped.state, .play).effects.first == .reverseFadeOut(ramp: Frames(9600)))
    #expect(run(stopped.state, .pause).effects.first == .freezeFadeOut)
  }

  @Test func theQueueFollowsWhatIsHeard() {
    #expect(run(.playing(track: one), .didAdvance(two)).effects == [.nowPlaying(two), .checkpoint])
    let waiting = PlayerState.preparingCrossfade(
      current: one, next: two, plan: PlannedFade(.manual, tenSeconds))
    #expect(
      run(waiting, .didReachEnd).effects == [.promoteNext(two), .nowPlaying(two), .checkpoint])
    // A skip that a pause overtakes takes the queue back to what is heard.
    #expect(run(waiting, .pause).effects.first == .nowPlaying(one))
  }

  @Test func powerFailingWritesACheckpointAnywhere() {
    for row in table { #expect(run(row.state, .powerFailing).effects == [.checkpoint]) }
  }

  @Test func retriesBackOffAndEnd() {
    let hung = PlaybackError(.decoderHung, path: one.path)
    var machine = PlayerStateMachine(settings: PlayerSettings(rate: rate))
    _ = machine.handle(.play, at: Moment(time: 0))
    _ = machine.handle(.load(one, at: Frames(1000)), at: Moment(time: 0))
    var waits: [Double] = []
    for _ in 0..<5 {
      let failed = machine.handle(.didFail(hung), at: Moment(time: 0))
      #expect(failed.state == .failed(error: hung, track: one, position: Frames(1000)))
      for case .scheduleRetry(let wait) in failed.effects { waits.append(wait.value) }
      let retried = machine.handle(.retry, at: Moment(time: 0))
      #expect(retried.effects == [.cancelRetry, .prepare(one, at: Frames(1000)), .checkpoint])
    }
    #expect(waits == [1, 2, 4, 8, 16])
    check(machine.handle(.didFail(hung), at: Moment(time: 0)).effects.contains(.moveOn(from: one)))
    #expect(machine.lastError == hung)
  }

  @Test func errorsThatStayAreNotRetried() {
    let failed = run(.playing(track: one), .didFail(corrupt))
    #expect(
      failed.effects
        == [
          .releaseAll(ramped: true), .report(corrupt), .playCue(corrupt), .moveOn(from: one), .checkpoint,
        ])
    #expect(run(failed.state, .play).verdict == .rejected(.unrecoverable(corrupt)))
    #expect(
      Rejection.unrecoverable(corrupt).sentence == "The file is damaged: /mnt/usb/one.flac.")
  }

  @Test func everyErrorHasItsWords() {
    var flashes: Set<Indicator> = []
    for kind in PlaybackError.Kind.allCases {
      let error = PlaybackError(kind, path: "/x", detail: "why")
      #expect(error.sentence.hasSuffix(": /x (why)."))
      #expect(error.remedy.hasSuffix(".") && error.cue.hasPrefix("error-"))
      flashes.insert(error.indicator)
    }
    #expect(flashes.count == PlaybackError.Kind.allCases.count)
  }

  @Test func storageHoldsWhatLiesBeneathIt() {
    #expect(one.lives(beneath: "/mnt/usb") && one.lives(beneath: "/mnt/usb/") && one.lives(beneath: "/"))
    #expect(!one.lives(beneath: "/mnt/us") && !one.lives(beneath: "/mnt/usb2"))
  }
}

@Suite struct OutageTests {
  @Test func playDuringAnOutageWaitsForTheOutput() {
    var machine = PlayerStateMachine(state: .playing(track: one), settings: PlayerSettings(rate: rate))
    func handle(_ event: PlayerEvent) -> PlayerState { machine.handle(event, at: moment()).state }
    check(handle(.outputLost).pauseReason == .outputLost)
    check(handle(.pause).pauseReason == .user)
    check(handle(.outputRestored).pauseReason == .user, "a person's pause outlasts the outage")
    _ = handle(.outputLost)
    check(handle(.play).pauseReason == .outputLost, "the wish to play waits")
    check(handle(.outputRestored) == .playing(track: one))
  }

  @Test func whatIsReadyDuringAnOutageWaits() {
    var machine = PlayerStateMachine(settings: PlayerSettings(rate: rate))
    for event: PlayerEvent in [.outputLost, .play, .load(one, at: .zero)] {
      _ = machine.handle(event, at: Moment(time: 0))
    }
    let prepared = machine.handle(.didPrepare, at: Moment(time: 0))
    #expect(prepared.state == .paused(track: one, position: .zero, reason: .outputLost))
    check(machine.handle(.outputRestored, at: Moment(time: 0)).state == .playing(track: one))
  }

  @Test func anInterruptionThatEndsDuringAnOutageWaits() {
    var machine = PlayerStateMachine(
      state: held(30, .interruption), settings: PlayerSettings(rate: rate))
    _ = machine.handle(.outputLost, at: moment())
    let ended = machine.handle(.interruptionEnded(shouldResume: true), at: moment())
    #expect(ended.state == held(30, .outputLost))
    check(machine.handle(.outputRestored, at: moment()).state.kind == .crossfading)
  }

  @Test func anInterruptionWhilePendingEndsInPlaying() {
    var machine = PlayerStateMachine(
      state: .seeking(track: one, target: Frames(5), intent: .play), settings: PlayerSettings(rate: rate))
    _ = machine.handle(.interruptionBegan, at: moment())
    check(
      machine.handle(.didSeek, at: moment()).state
        == .paused(track: one, position: Frames(5), reason: .interruption))
    check(
      machine.handle(.interruptionEnded(shouldResume: true), at: moment()).state == .playing(track: one))
  }
}
