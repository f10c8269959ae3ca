// The state machine apart from its table: history, strict mode, settling, the last error, display texts. Test
// threads.
import PlaybackModel
import Testing

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
    // Impossible user commands are not errors.
    var machine = PlayerStateMachine(isStrict: true)
    check(machine.handle(.retry, at: Moment(time: 1)).verdict.isRejected)
  }

  @Test func settlingTakesOverTheExactFrames() {
    var machine = PlayerStateMachine(state: .paused(track: one, position: Frames(5), reason: .standby))
    check(machine.settle(current: Frames(77)))
    #expect(machine.state == .paused(track: one, position: Frames(77), reason: .standby))
    machine = PlayerStateMachine(state: held(49, .user))
    check(machine.settle(current: Frames(100), next: Frames(200), fade: progress(percent: 51)))
    guard case .crossfadePaused(_, _, _, let settled, .user) = machine.state else {
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
    let paused = machine.handle(.pause, at: moment(percent: 20))
    #expect(paused.state.fadeProgress == progress(percent: 95))
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

  /// The last error is kept until something succeeds.
  @Test(arguments: [
    PlayerEvent.didPrepare, .didSeek, .didRefill, .didAdvance(two),
    .crossfadeBegan(to: two, fade: tenSeconds),
  ])
  func theLastErrorClearsAtTheNextSuccess(success: PlayerEvent) throws {
    let state: PlayerState =
      switch success {
      case .didPrepare: .preparing(track: one, intent: .play, start: .zero)
      case .didSeek: .seeking(track: one, target: .zero, intent: .play)
      case .didRefill: .buffering(track: one, intent: .play)
      default: waiting(.automatic, isArmed: true)
      }
    var machine = PlayerStateMachine(state: state)
    machine.note(corrupt, at: Moment(time: 70))
    #expect(machine.lastError?.error == corrupt && machine.lastError?.time == 70)
    for nothing in [PlayerEvent.pause, .play, .powerFailing, .outputRestored]
    where state.kind != .preparingCrossfade {
      _ = machine.handle(nothing, at: Moment(time: 80))
      #expect(machine.lastError != nil)
    }
    _ = machine.handle(success, at: Moment(time: 90))
    #expect(machine.lastError == nil)
  }

  @Test func theLastErrorHasTheTimeOfItsReport() {
    var machine = PlayerStateMachine(state: .playing(track: one))
    _ = machine.handle(.didFailNext(corrupt), at: Moment(time: 5))
    #expect(machine.lastError?.error == corrupt && machine.lastError?.time == 5)
    _ = machine.handle(.didFail(PlaybackError(.network)), at: Moment(time: 6))
    #expect(machine.lastError?.error == PlaybackError(.network) && machine.lastError?.time == 6)
    _ = machine.handle(.retry, at: Moment(time: 7))
    #expect(machine.lastError != nil, "trying is not succeeding")
    _ = machine.handle(.didPrepare, at: Moment(time: 8))
    #expect(machine.lastError == nil)
  }

  @Test func wordsForPeople() {
    #expect(fading(47).statusText == "Crossfading 47%")
    #expect(fading(47).displayText == "Crossfading 47%: one.flac → two.opus")
    #expect(held(30, .standby).statusText == "Crossfade paused at 30% (standby), then continues")
    #expect(held(70, .user).statusText == "Crossfade paused at 70%, then finishes quickly")
    #expect(PlayerState.buffering(track: one, intent: .play).statusText == "Buffering")
    #expect(
      PlayerState.buffering(track: one, intent: .pause(.user)).statusText == "Buffering, will stay paused")
    #expect(
      PlayerState.seeking(track: one, target: .zero, intent: .pause(.liveInput)).statusText
        == "Seeking, will stay paused (live source)")
    #expect(
      PlayerState.preparing(track: one, intent: .cue, start: .zero).statusText
        == "Preparing, will stay paused")
    #expect(failed(.network).statusText == "Failed, will retry")
    #expect(failed(.network, .pause(.user)).statusText == "Failed while paused, will retry")
    #expect(failed(.corrupt).statusText == "Failed")
    #expect(PlayerState.idle(cause: nil, armed: .armed).displayText == "Waiting for music")
    #expect(fading(47).indicator == Indicator(.blue, .steady))
    #expect(
      Rejection.meaningless(.seek, in: .idle).sentence == "'seek' has no meaning while idle; 'play' begins.")
    #expect(
      Rejection.meaningless(.finishFade, in: .playing).sentence
        == "'finish-fade' has no meaning while playing; it ends a crossfade early.")
    for kind in PlayerEvent.Kind.allCases {
      let sentence = Rejection.meaningless(kind, in: .paused).sentence
      #expect(
        sentence.contains("; ") && !sentence.contains(kind.name + "'") || kind.word == kind.name,
        "\(sentence)")
    }
  }
}
