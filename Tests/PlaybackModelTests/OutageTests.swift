// Interruptions and lost outputs: what holds the music and what releases it. Test threads.
import PlaybackModel
import Testing

@Suite struct OutageTests {
  @Test func playDuringAnOutageWaitsForTheOutput() {
    var machine = PlayerStateMachine(state: .playing(track: one), settings: PlayerSettings(rate: rate))
    func handle(_ event: PlayerEvent) -> PlayerState { machine.handle(event, at: moment()).state }
    check(handle(.outputLost).pauseReason == .outputLost)
    check(handle(.pause).pauseReason == .user)
    check(handle(.outputRestored).pauseReason == .user, "a person's pause outlasts the outage")
    _ = handle(.outputLost)
    check(handle(.play).pauseReason == .outputLost, "the request to play waits")
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
