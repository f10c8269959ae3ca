// Questions to machine and state agree with what the machine does.
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

  /// A question leaves no trace, and its answer is what `handle` then does. (The table asks it for every event, too.)
  @Test(arguments: table) func askingPerformsNothing(row: Row) {
    let machine = machine(row.state)
    for (name, event) in events {
      #expect(
        machine.canPerform(event, at: moment()) == !verdict(row.state, event).isRejected, "\(name)")
    }
    #expect(machine.state == row.state && machine.history.total == 0 && machine.lastError == nil)
  }

  /// What is offered can be done; and what is refused in the state is not offered.
  @Test(arguments: table) func actionsAgreeWithWhatCanBePerformed(row: Row) {
    let actions: [(PlayerActions, PlayerEvent)] = [
      (.load, .load(three, at: .zero)), (.play, .play), (.pause, .pause), (.stop, .stop),
      (.skip, .skip(to: three)), (.seek, .seek(.zero)), (.retry, .retry), (.reset, .reset),
      (.finishFade, .finishFade),
    ]
    let machine = machine(row.state)
    for (action, event) in actions {
      let isOffered = row.state.allowedActions.contains(action)
      let isPossible = machine.canPerform(event, at: moment())
      #expect(!isOffered || isPossible, "\(event.kind.name) is offered and refused")
      switch action {
      // Understood everywhere; offered where it changes something.
      case .play, .pause, .stop: break
      default: #expect(isOffered == isPossible, "\(event.kind.name)")
      }
    }
    #expect(row.state.allowedActions.contains(.stop) == (row.state.kind != .idle))
  }

  @Test(arguments: table) func playAndPauseAreOfferedWhereTheyChangeSomething(row: Row) {
    let state = row.state
    #expect(state.allowedActions.contains(.play) == state.canPlay)
    #expect(state.allowedActions.contains(.pause) == state.canPause)
    // Without an output play means: as soon as it is back.
    if state.pauseReason != .outputLost { #expect(state.canPlay == (verdict(state, .play) == .changed)) }
    if state.canPause { #expect(verdict(state, .pause) == .changed) }
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
      // A person has asked for it; one that is due by itself is cued already.
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
