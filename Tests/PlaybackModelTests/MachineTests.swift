// The machine around its table: history, strict mode, observers, settling, restoring, words for people.
import PlaybackModel
import Testing

private final class Recorder: TransitionObserver {
  var seen: [Transition] = []
  func player(did transition: Transition) { seen.append(transition) }
}

@Suite struct MachineTests {
  @Test func historyKeepsTheLast128AndCountsAll() throws {
    var machine = PlayerStateMachine()
    for i in 0..<300 { _ = machine.handle(i % 3 == 0 ? .retry : .toggle, at: Moment(time: UInt64(i))) }
    #expect(machine.history.count == History.capacity && machine.history.total == 300)
    #expect(machine.history[0].sequence == 173 && machine.history[0].time == 172)
    let last = try #require(machine.history.last)
    #expect(last.sequence == 300 && last.event == .toggle && last.verdict == .changed && last.from != last.to)
    #expect(machine.history.rejectedUser == 100 && machine.history.rejected == 100)
    for i in 1..<machine.history.count {
      #expect(machine.history[i].sequence == machine.history[i - 1].sequence + 1)
      #expect(machine.history[i].from == machine.history[i - 1].to)
    }
  }

  @Test func aRejectedSystemEventIsCountedInProduction() {
    var machine = PlayerStateMachine()
    let outcome = machine.handle(.didSeek, at: Moment(time: 1))
    #expect(outcome.verdict == .rejected(.meaningless(.didSeek, in: .idle)))
    #expect(machine.history.rejectedSystem == 1)
  }

  @Test func aRejectedSystemEventTrapsWhenStrict() async {
    await #expect(processExitsWith: .failure) {
      var machine = PlayerStateMachine(isStrict: true)
      _ = machine.handle(.didSeek, at: Moment(time: 1))
    }
    // A person may ask for what is not possible.
    var machine = PlayerStateMachine(isStrict: true)
    check(machine.handle(.retry, at: Moment(time: 1)).verdict.isRejected)
  }

  @Test func observersSeeEveryEventAndAreBounded() {
    var machine = PlayerStateMachine()
    let recorder = Recorder()
    check(machine.addObserver(recorder))
    _ = machine.handle(.play, at: Moment(time: 1))
    _ = machine.handle(.play, at: Moment(time: 2))
    _ = machine.handle(.retry, at: Moment(time: 3))
    #expect(recorder.seen.map(\.verdict.isRejected) == [false, false, true])
    machine.removeObserver(recorder)
    _ = machine.handle(.play, at: Moment(time: 4))
    #expect(recorder.seen.count == 3)
    for _ in 0..<PlayerStateMachine.observerLimit { check(machine.addObserver(Recorder())) }
    check(!machine.addObserver(Recorder()))
  }

  @Test func settlingTakesOverTheExactFrames() {
    var machine = PlayerStateMachine(state: .paused(track: one, position: Frames(5), reason: .standby))
    check(machine.settle(current: Frames(77)))
    #expect(machine.state == .paused(track: one, position: Frames(77), reason: .standby))
    machine = PlayerStateMachine(state: held(49, .user))
    check(machine.settle(current: Frames(100), next: Frames(200), fade: progress(percent: 51)))
    guard case .crossfadePaused(_, _, .quickFinish, let settled, .user) = machine.state else {
      Issue.record("\(machine.state)")
      return
    }
    #expect(settled.fromPosition == Frames(100) && settled.toPosition == Frames(200))
    #expect(settled.progress == progress(percent: 51))
    machine = PlayerStateMachine(state: .playing(track: one))
    check(!machine.settle(current: Frames(1)) && machine.state == .playing(track: one))
    #expect(machine.history.total == 0)
  }

  @Test func progressNeverRunsBackwards() {
    var machine = PlayerStateMachine(state: fading(20))
    check(machine.observe(progress: progress(percent: 40)))
    check(!machine.observe(progress: progress(percent: 30)))
    #expect(machine.state == fading(40))
    check(machine.observe(progress: progress(percent: 95)))
    #expect(machine.state == fading(95, canQuickFinish: false), "less is left than a quick finish takes")
    let paused = machine.handle(.pause, at: moment(percent: 20))
    #expect(paused.state.fadeProgress == progress(percent: 95))
  }

  @Test func finishFadeRetimesOnce() {
    var machine = PlayerStateMachine(state: fading(20), settings: PlayerSettings(rate: rate))
    let outcome = machine.handle(.finishFade, at: moment(percent: 25))
    #expect(
      outcome.effects.first
        == .quickFinishCrossfade(FadeTiming(finishing: progress(percent: 25), over: Frames(48_000))))
    check(machine.handle(.finishFade, at: moment()).verdict == .rejected(.nothingToFinish))
  }

  @Test func describingATrackIsNoTransition() {
    var tagged = two
    tagged.title = "Two"
    for row in table {
      var machine = PlayerStateMachine(state: row.state)
      check(machine.describe(tagged) == (row.state.nextTrack != nil))
      #expect(machine.state.kind == row.state.kind && machine.history.total == 0)
      if row.state.nextTrack != nil { #expect(machine.state.nextTrack == tagged) }
      tagged.id = 2
    }
  }

  @Test func anOutageIsRememberedAcrossARestart() {
    var machine = PlayerStateMachine(state: held(30, .outputLost))
    #expect(machine.outputIsLost)
    check(machine.handle(.play, at: moment()).verdict == .unchanged)
  }

  @Test func everyStateIsTakenUpAgain() {
    for row in table {
      let (machine, effects) = PlayerStateMachine.restore(
        row.state, saved: moment(), settings: PlayerSettings(rate: rate))
      #expect(machine.state.isValid)
      #expect(machine.outputIsLost == (machine.state.pauseReason == .outputLost))
      switch row.state.kind {
      case .playing, .preparingCrossfade:
        #expect(machine.state == .preparing(track: one, intent: .play, start: moment().current))
      case .crossfading, .crossfadePaused:
        #expect(machine.state.kind == .crossfadePaused && effects.count == 2)
      case .idle, .finished: #expect(machine.state == row.state && effects.isEmpty)
      default: break
      }
    }
    var (fade, _) = PlayerStateMachine.restore(
      fading(20), saved: moment(), settings: PlayerSettings(rate: rate))
    check(fade.handle(.outputRestored, at: moment()).state.fadeProgress == progress(percent: 30))
    let (_, effects) = PlayerStateMachine.restore(
      held(30, .user), saved: moment(), settings: PlayerSettings(rate: rate))
    #expect(effects == [.prepare(one, at: Frames(9_000_000)), .prepareNext(two, at: Frames(48_000))])
  }

  @Test func queriesAgreeWithTheMachine() {
    for row in table {
      let state = row.state
      #expect(state.isValid)
      func changes(_ event: PlayerEvent) -> Bool {
        var machine = PlayerStateMachine(state: state, settings: PlayerSettings(rate: rate))
        return machine.handle(event, at: moment()).verdict == .changed
      }
      if state.pauseReason != .outputLost { #expect(state.canPlay == changes(.play), "\(row.name)") }
      #expect(state.allowedActions.contains(.stop) == (state.kind != .idle))
      #expect(state.allowedActions.contains(.seek) == !isRejected(state, .seek(.zero)))
      #expect(state.allowedActions.contains(.retry) == !isRejected(state, .retry))
      #expect(state.allowedActions.contains(.finishFade) == !isRejected(state, .finishFade))
      #expect(state.canResume == (state.kind == .paused || state.kind == .crossfadePaused))
      #expect(!(state.isTerminal && state.isActive))
      #expect(state.isCrossfadeRelated == (state.nextTrack != nil))
      #expect(!state.statusText.isEmpty && state.displayText.hasPrefix(state.statusText))
    }
  }

  private func isRejected(_ state: PlayerState, _ event: PlayerEvent) -> Bool {
    var machine = PlayerStateMachine(state: state, settings: PlayerSettings(rate: rate))
    return machine.handle(event, at: moment()).verdict.isRejected
  }

  @Test func wordsForPeople() {
    #expect(fading(47).statusText == "Crossfading 47%")
    #expect(fading(47).displayText == "Crossfading 47%: one.flac → two.opus")
    #expect(held(30, .standby).statusText == "Crossfade paused at 30% (standby)")
    #expect(PlayerState.idle(cause: nil, armed: .armed).displayText == "Waiting for music")
    #expect(fading(47).indicator == Indicator(.blue, .steady))
    #expect(Rejection.meaningless(.seek, in: .idle).sentence == "'seek' has no meaning while idle.")
  }
}
