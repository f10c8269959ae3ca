// Fades as states: how they begin, resume and are cut short, and which track continues. Test threads.
import PlaybackModel
import Testing

private func machine(_ state: PlayerState, threshold: Int = 50) -> PlayerStateMachine {
  var settings = PlayerSettings(rate: rate)
  settings.quickFinishThreshold = threshold
  return PlayerStateMachine(state: state, settings: settings)
}

private func after(_ state: PlayerState, _ event: PlayerEvent, percent: Int = 30) -> PlayerState {
  var machine = machine(state)
  return machine.handle(event, at: moment(percent: percent)).state
}

@Suite struct FadeStateTests {
  // MARK: Start

  /// The fade is cued, then armed, and begins when the mixer reports it, so the state is never ahead of the
  /// sound.
  @Test func aManualSkipFadesOnceItsTrackIsCued() {
    var machine = machine(.playing(track: one))
    machine.settings.fadesManually = true
    machine.settings.manualFadeLength = Seconds(4)
    let fade = Fade(Seconds(4), curve: .equalPower, rate: rate)
    func handle(_ event: PlayerEvent) -> PlayerState { machine.handle(event, at: moment(percent: 0)).state }
    check(
      handle(.skip(to: three))
        == .preparingCrossfade(current: one, next: three, plan: PlannedFade(.manual, fade)))
    check(
      handle(.didPrepareNext)
        == .preparingCrossfade(
          current: one, next: three, plan: PlannedFade(.manual, fade, isArmed: true)))
    // Late in the track the fade is shorter than requested.
    let rest = Fade(length: Frames(1000), curve: .equalPower)
    check(
      handle(.crossfadeBegan(to: three, fade: rest))
        == .crossfading(
          from: one, to: three, curve: .equalPower,
          progress: FadeProgress(index: .zero, length: Frames(1000)), pace: .ordered))
  }

  @Test func withoutManualFadesASkipCutsOver() {
    #expect(
      after(.playing(track: one), .load(three, at: Frames(500)))
        == .preparing(track: three, intent: .play, start: Frames(500)))
  }

  /// The next track is already cued, so the fade is armed at once; queue and settings apply until it begins.
  @Test func anAutomaticFadeFollowsQueueAndSettings() {
    let armed = after(.playing(track: one), .nextDue(two, fade: tenSeconds))
    #expect(armed == waiting(.automatic, isArmed: true))
    let other = Fade(length: Frames(5), curve: .linear)
    #expect(
      after(armed, .nextDue(three, fade: other))
        == .preparingCrossfade(
          current: one, next: three, plan: PlannedFade(.automatic, other, isArmed: true)))
    #expect(after(armed, .nextWithdrawn) == .playing(track: one))
    #expect(after(armed, .nextDue(two, fade: Fade(length: .zero, curve: .linear))) == .playing(track: one))
    #expect(after(waiting(.manual, isArmed: true), .nextWithdrawn) == waiting(.manual, isArmed: true))
  }

  /// A skip to the track that is already cued starts its fade at once, without opening the track again.
  @Test func aSkipToTheTrackThatWaitsHurriesItsFade() {
    #expect(after(waiting(.automatic, isArmed: true), .skip(to: two)) == waiting(.manual, isArmed: true))
  }

  @Test func aPauseBeforeAFadeHoldsTheCurrentTrack() {
    #expect(
      after(waiting(.automatic, isArmed: true), .pause)
        == .paused(track: one, position: Frames(9_100_000), reason: .user))
  }

  /// A hold that ends by itself does not revert a user's skip: the skipped-to track resumes.
  @Test(arguments: [
    (PlayerEvent.announcementBegan, PlayerEvent.announcementEnded), (.liveInputBegan, .liveInputEnded),
    (.standby, .wake),
    (.interruptionBegan, .interruptionEnded(shouldResume: true)), (.outputLost, .outputRestored),
  ])
  func aHoldBeforeASkipsFadeKeepsTheSkip(hold: PlayerEvent, release: PlayerEvent) {
    for isArmed in [false, true] {
      var machine = machine(waiting(.manual, isArmed: isArmed))
      let held = machine.handle(hold, at: moment(percent: 0))
      #expect(machine.state.kind == .preparing && machine.state.currentTrack == two)
      #expect(held.effects.contains(.nowPlaying(two)))
      _ = machine.handle(.didPrepare, at: moment(percent: 0))
      #expect(machine.state.kind == .paused)
      _ = machine.handle(release, at: moment(percent: 0))
      #expect(machine.state == .playing(track: two))
    }
  }

  /// A fade that begins during the fade-out of a pause is held like any other.
  @Test func aFadeThatBeginsBehindAClosingGateIsHeld() {
    let paused = PlayerState.paused(track: one, position: .zero, reason: .standby)
    let state = after(paused, .crossfadeBegan(to: two, fade: tenSeconds), percent: 1)
    guard case .crossfadePaused(one, two, .continueFromProgress, let snapshot, .standby) = state else {
      Issue.record("\(state)")
      return
    }
    #expect(snapshot.progress == progress(percent: 1))
  }

  /// Each track continues at its own position, also after a restart.
  @Test func aPausedFadeKnowsWhereEachTrackStands() {
    guard case .crossfadePaused(one, two, _, let snapshot, .user) = after(fading(30), .pause) else {
      Issue.record("a fade can be paused")
      return
    }
    #expect(snapshot.fromPosition == Frames(9_100_000) && snapshot.toPosition == Frames(144_000))
    #expect(snapshot.from == one.id && snapshot.to == two.id && snapshot.deck == .b)
  }

  /// A track that ends earlier than stated may leave no frames for its fade: the next one plays alone at
  /// once.
  @Test(arguments: [
    waiting(.automatic, isArmed: true), .playing(track: one), .buffering(track: one, intent: .play),
    .buffering(track: one, intent: .pause(.standby)), .paused(track: one, position: .zero, reason: .standby),
  ])
  func aFadeOfNoLengthIsAJoin(state: PlayerState) {
    let now = after(state, .crossfadeBegan(to: two, fade: Fade(length: .zero, curve: .linear)))
    let isPaused = now == .paused(track: two, position: Frames(144_000), reason: .standby)
    #expect(isPaused || now == .playing(track: two))
    #expect(isPaused == !state.isActive)
    #expect(after(now, .crossfadeCompleted) == now)
  }

  // MARK: Pause and resume

  @Test(arguments: [0, 1, 30, 47, 49, 50, 80, 100])
  func aPausedFadeGoesOnBelowHalfAndFinishesQuicklyFromHalf(percent: Int) {
    let state = after(fading(percent), .pause, percent: percent)
    guard case .crossfadePaused(_, _, let strategy, let snapshot, .user) = state else {
      Issue.record("\(state)")
      return
    }
    #expect(snapshot.fromPosition == Frames(9_100_000) && snapshot.toPosition == Frames(144_000))
    #expect(snapshot.deck == .b && snapshot.progress == progress(percent: percent))
    #expect(strategy == (percent < 50 ? .continueFromProgress : .quickFinish))
    #expect(after(state, .play) == fading(percent, pace: percent < 50 ? .ordered : .quick))
  }

  /// The decision depends on the fade's progress at the press, not at the end of the fade-out.
  @Test func theStrategyIsDecidedAtThePress() {
    var machine = machine(fading(40))
    _ = machine.handle(.pause, at: moment(percent: 47))
    check(machine.settle(current: .zero, next: .zero, fade: progress(percent: 53)))
    check(machine.state.fadeProgress == progress(percent: 53))
    #expect(machine.state.statusText == "Crossfade paused at 53%, then continues")
    check(machine.handle(.play, at: moment(percent: 53)).state == fading(53))
  }

  /// Repeated pauses during a quick finish do not slow it down.
  @Test func aQuickFinishStaysQuick() {
    let paused = after(fading(30, pace: .quick), .pause, percent: 31)
    #expect(after(paused, .play) == fading(31, pace: .quick))
  }

  @Test(arguments: [0, 1, 30, 50, 99, 100, 101], [0, 29, 30, 50, 99, 100])
  func itCanFinishQuicklyFromTheThresholdOn(threshold: Int, percent: Int) {
    #expect(machine(fading(percent), threshold: threshold).canQuickFinish == (percent >= threshold))
    // A paused fade was decided at its pause.
    #expect(machine(held(percent, .user), threshold: threshold).canQuickFinish == (percent >= 50))
  }

  /// Text, flag and effect of `play` agree for a paused fade: the decision made at the press holds, whatever
  /// the progress at the end of the fade-out and later settings are.
  @Test(arguments: FadeCurve.allCases, [0, 30, 50, 99, 101])
  func whatAPausedFadeTellsIsWhatItDoes(curve: FadeCurve, threshold: Int) {
    for percent in 1...99 {
      for pace in FadePace.allCases {
        let fade = PlayerState.crossfading(
          from: one, to: two, curve: curve, progress: progress(percent: percent), pace: pace)
        var machine = machine(fade, threshold: threshold)
        let isQuick = pace == .quick || percent >= threshold
        #expect(machine.canQuickFinish == isQuick, "\(percent) % of a running fade")
        _ = machine.handle(.pause, at: moment(percent: percent))
        for settled in [percent, min(percent + 6, 100)] {
          _ = machine.settle(current: .zero, next: .zero, fade: progress(percent: settled))
          machine.settings.quickFinishThreshold = 100 - threshold
          let words = isQuick ? "finishes quickly" : "continues"
          #expect(machine.state.statusText == "Crossfade paused at \(settled)%, then \(words)")
          #expect(machine.canQuickFinish == isQuick)
          #expect(machine.resumeStrategy == (isQuick ? .quickFinish : .continueFromProgress))
        }
        let resumed = machine.handle(.play, at: moment(percent: 100)).state
        guard case .crossfading(_, _, _, _, let resumedPace) = resumed else {
          Issue.record("\(resumed.kind)")
          return
        }
        #expect(resumedPace == (isQuick ? .quick : .ordered))
      }
    }
  }

  @Test(arguments: table) func outsideFadesNothingFinishesQuickly(row: Row) {
    if row.state.fadeProgress == nil { #expect(!machine(row.state).canQuickFinish) }
  }

  @Test func finishFadeIsAskedForOnce() {
    var machine = machine(fading(20))
    check(machine.handle(.finishFade, at: moment(percent: 25)).state == fading(25, pace: .quick))
    check(machine.handle(.finishFade, at: moment()).verdict == .rejected(.nothingToFinish))
  }

  // MARK: Cut short

  /// During a fade, user commands apply to the incoming track.
  @Test func whatCutsAFadeShortGoesOnWithTheIncomingTrack() {
    #expect(
      after(fading(20), .seek(Frames(77))) == .seeking(track: two, target: Frames(77), intent: .play))
    #expect(
      after(held(30, .user), .seek(Frames(77)))
        == .seeking(track: two, target: Frames(77), intent: .pause(.user)))
    #expect(after(fading(20), .skip(to: two)) == .playing(track: two))
    #expect(after(fading(20), .stop) == .fadingOut(track: two, duration: Frames(24_000)))
    #expect(after(fading(20), .sleepTimerFired) == .fadingOut(track: two, duration: Frames(960_000)))
    #expect(
      after(.fadingOut(track: two, duration: Frames(24_000)), .play) == .playing(track: two))
    var machine = machine(fading(20))
    machine.settings.fadesManually = true
    check(machine.handle(.skip(to: three), at: moment()).state.currentTrack == two)
  }

  @Test func aFailedTrackLeavesTheOtherOne() {
    #expect(after(fading(20), .didFailNext(corrupt)) == .playing(track: one))
    #expect(after(fading(20), .didFail(corrupt)) == fading(20))
    #expect(
      after(held(30, .standby), .didFailNext(corrupt))
        == .paused(track: one, position: Frames(9_000_000), reason: .standby))
    #expect(
      after(held(30, .standby), .didFail(corrupt))
        == .paused(track: two, position: Frames(48_000), reason: .standby))
  }

  /// A failed output silences both tracks; the retry continues with the incoming one.
  @Test func aFailedOutputKeepsTheIncomingTrack() {
    let missing = PlaybackError(.outputUnavailable)
    #expect(
      after(fading(20), .didFail(missing))
        == .failed(error: missing, track: two, position: Frames(144_000), intent: .play))
    #expect(
      after(held(30, .user), .didFail(missing))
        == .failed(error: missing, track: two, position: Frames(48_000), intent: .pause(.user)))
  }

  @Test func aStopThatAFadeBeginsInGoesOnWithTheIncomingTrack() {
    let stopping = PlayerState.fadingOut(track: one, duration: Frames(960_000))
    for event in [PlayerEvent.didAdvance(two), .crossfadeBegan(to: two, fade: tenSeconds)] {
      #expect(after(stopping, event) == .fadingOut(track: two, duration: Frames(960_000)))
    }
  }
}
