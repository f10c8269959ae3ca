// The query functions of machine and state agree with the machine's reactions. Test threads.
import PlaybackModel
import Testing

@Suite struct QueryTests {
  private func machine(_ state: PlayerState) -> PlayerStateMachine {
    PlayerStateMachine(state: state, settings: PlayerSettings(rate: rate))
  }

  private func verdict(_ state: PlayerState, _ event: PlayerEvent) -> Verdict {
    var machine = machine(state)
    return machine.handle(event, at: moment()).verdict
  }

  /// Queries have no side effects, and agree with what `handle` then does. (The table test queries each
  /// event, too.)
  @Test(arguments: table) func askingPerformsNothing(row: Row) {
    let machine = machine(row.state)
    for (name, event) in events {
      #expect(
        machine.canPerform(event, at: moment()) == !verdict(row.state, event).isRejected, "\(name)")
    }
    #expect(machine.state == row.state && machine.history.total == 0 && machine.lastError == nil)
  }

  /// With a queue and no other content, an action is accepted exactly if the state handles its event.
  @Test(arguments: table) func actionsAreAcceptedWhereTheirEventsAre(row: Row) {
    let machine = machine(row.state)
    for action in PlayerAction.allCases {
      let event: PlayerEvent =
        switch action {
        case .load: .load(three, at: .zero)
        case .play: .play
        case .pause: .pause
        case .toggle: .toggle
        case .stop: .stop
        case .next, .previous: .skip(to: three)
        case .seek: .seek(.zero)
        case .finishFade: .finishFade
        case .retry: .retry
        case .reset: .reset
        }
      let refusal = machine.refusal(of: action, with: PlayerHoldings(), at: moment())
      let isUnderstood = !verdict(row.state, event).isRejected
      #expect((refusal == nil) == isUnderstood, "\(action.name)")
      if let refusal { #expect(!refusal.sentence.isEmpty) }
    }
    #expect(machine.state == row.state && machine.history.total == 0)
  }

  /// An empty queue refuses only the actions that need an entry.
  @Test(arguments: table) func anEmptyQueueRefusesWhatNeedsOne(row: Row) {
    let machine = machine(row.state)
    let empty = PlayerHoldings(hasQueue: false, hasNext: false, hasPrevious: false)
    for action in PlayerAction.allCases {
      let full = machine.refusal(of: action, with: PlayerHoldings(), at: moment())
      let refusal = machine.refusal(of: action, with: empty, at: moment())
      switch (action, row.state.kind) {
      case (.next, _), (.previous, _), (.play, .idle), (.play, .finished), (.toggle, .idle):
        #expect(refusal == .emptyQueue, "\(action.name)")
      default: #expect(refusal == full, "\(action.name)")
      }
    }
  }

  @Test func behindAFailureTheQueueMustLeadSomewhere() {
    let machine = machine(failed(.corrupt))
    let last = PlayerHoldings(hasNext: false)
    #expect(machine.refusal(of: .next, with: last, at: moment()) == .nothingBehindFailure)
    #expect(machine.refusal(of: .previous, with: last, at: moment()) == nil)
    // In other states the end of the queue stops the music.
    let playing = self.machine(.playing(track: one))
    #expect(playing.refusal(of: .next, with: last, at: moment()) == nil)
  }

  @Test(arguments: table) func playIsOfferedWhereItChangesSomething(row: Row) {
    let state = row.state
    // Without an output, `play` takes effect once the output is back.
    if state.pauseReason != .outputLost { #expect(state.canPlay == (verdict(state, .play) == .changed)) }
  }

  /// Pausing a pending operation changes the display text and the light, whatever the reason; playing changes
  /// them back.
  @Test(arguments: table) func aPauseOfPendingWorkIsSeen(row: Row) {
    let playing: PlayerState
    switch row.state {
    case .preparing(let track, _, let start): playing = .preparing(track: track, intent: .play, start: start)
    case .buffering(let track, _): playing = .buffering(track: track, intent: .play)
    case .seeking(let track, let target, _): playing = .seeking(track: track, target: target, intent: .play)
    default: return
    }
    for event in [
      PlayerEvent.pause, .toggle, .standby, .interruptionBegan, .announcementBegan, .liveInputBegan,
      .outputLost,
    ] {
      var machine = machine(playing)
      let paused = machine.handle(event, at: moment()).state
      #expect(paused.kind == playing.kind)
      #expect(paused.statusText.hasPrefix(playing.statusText + ", will stay paused"))
      #expect(paused.indicator == Indicator(.green, .rareBlink))
      #expect(playing.indicator == Indicator(.green, .fastBlink))
      let back = machine.handle(.play, at: moment()).state
      #expect(back.statusText == playing.statusText && back.indicator == playing.indicator)
    }
  }

  @Test(arguments: table) func queriesAgreeWithEachOther(row: Row) {
    let state = row.state
    #expect(state.isValid)
    #expect(!(state.isTerminal && state.isActive))
    #expect(state.isCrossfadeRelated == (state.nextTrack != nil))
    #expect(!state.statusText.isEmpty && state.displayText.hasPrefix(state.statusText))
  }

  @Test(arguments: table) func loadingIsShownWhileATrackIsWaitedFor(row: Row) {
    let isWaiting: Bool =
      switch row.state {
      case .preparing, .buffering, .seeking: true
      // A manual fade was requested by the user; an automatic one has its track cued already.
      case .preparingCrossfade(_, _, let plan): plan.trigger == .manual
      default: false
      }
    #expect(row.state.showsLoading == isWaiting)
  }

  @Test func inAFadeAPersonMeansTheTrackThatComes() {
    #expect(fading(1).heardTrack == two && held(99, .user).heardTrack == two)
    #expect(waiting(.automatic, isArmed: true).heardTrack == one)
    #expect(PlayerState.playing(track: one).heardTrack == one)
    #expect(PlayerState.idle(cause: nil, armed: .armed).heardTrack == nil)
  }
}
