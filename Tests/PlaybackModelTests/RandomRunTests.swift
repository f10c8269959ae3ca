// Half a million random events, valid or not: the invariants hold. Consistent event sequences are tested with
// the simulator. Test threads.
import PlaybackModel
import Testing

@Suite struct RandomRunTests {
  /// Any event at any time, valid or not.
  @Test(arguments: [UInt64(5), 6])
  func anyEventAtAnyTimeKeepsTheStateValid(seed: UInt64) {
    var random = ShuffleGenerator(seed: seed)
    var machine = PlayerStateMachine()
    var progress: FadeProgress?
    for _ in 0..<250_000 {
      let event = events[Int(random.next() % UInt64(events.count))].event
      machine.settings.fadesManually = random.next() % 2 == 0
      let at = Moment(
        time: random.next(), current: Frames(Int64(random.next() % 1_000_000) - 1000),
        next: random.next() % 4 == 0 ? nil : Frames(Int64(random.next() % 1_000_000) - 1000),
        fade: FadeProgress(index: Frames(Int64(random.next() % 500_000)), length: tenSeconds.length))
      let before = machine.state.kind
      let outcome = machine.handle(event, at: at)
      guard outcome.state.isValid else {
        Issue.record("invalid on \(event): \(outcome.state)")
        return
      }
      if outcome.verdict.isRejected, outcome.state.kind != before { Issue.record("rejected, yet moved") }
      let now = outcome.state.fadeProgress
      if let now, let progress, now.index < progress.index { Issue.record("progress ran back") }
      progress = now
    }
    #expect(machine.history.total == 250_000)
  }
}
