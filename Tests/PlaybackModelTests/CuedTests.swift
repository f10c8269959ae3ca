// `ready` means cued and never started; a paused track stays paused. Test threads.
import PlaybackModel
import Testing

@Suite struct CuedTests {
  private func after(_ state: PlayerState, _ events: PlayerEvent...) -> PlayerState {
    var machine = PlayerStateMachine(state: state, settings: PlayerSettings(rate: rate))
    for event in events { _ = machine.handle(event, at: moment()) }
    return machine.state
  }

  private static let pausedStates: [PlayerState] = [
    .paused(track: one, position: Frames(9), reason: .user),
    .preparing(track: one, intent: .pause(.user), start: Frames(9)),
    .seeking(track: one, target: Frames(9), intent: .pause(.user)),
    .buffering(track: one, intent: .pause(.user)),
  ]

  /// Through a failure and its retry, and through a restart, at any position.
  @Test(arguments: pausedStates) func whatWasPausedStaysPaused(state: PlayerState) {
    func restored(_ state: PlayerState) -> PlayerState {
      PlayerStateMachine.restore(state, saved: moment(), settings: PlayerSettings(rate: rate)).state
    }
    let retried = after(state, .didFail(PlaybackError(.network)), .retry, .didPrepare)
    #expect(retried.pauseReason == .user, "\(retried)")
    let resumed = after(restored(state), .didPrepare)
    #expect(resumed.pauseReason == .user, "\(resumed)")
    let both = after(restored(after(state, .didFail(PlaybackError(.network)))), .didPrepare)
    #expect(both.pauseReason == .user, "\(both)")
  }

  private static let cuedStates: [PlayerState] = [
    .ready(track: one, position: .zero), .preparing(track: one, intent: .cue, start: Frames(9)),
    .seeking(track: one, target: Frames(9), intent: .cue), .finished(last: one),
  ]

  /// Through a seek, a pause, a failure with its retry, and a restart.
  @Test(arguments: cuedStates) func whatWasNeverStartedStaysReady(state: PlayerState) {
    let sought = after(state, .seek(Frames(5)), .didPrepare)
    let ready = sought.kind == .seeking ? after(sought, .didSeek) : sought
    #expect(ready == .ready(track: one, position: Frames(5)), "\(ready)")
    #expect(after(ready, .pause, .interruptionBegan, .interruptionEnded(shouldResume: true)) == ready)
    #expect(after(ready, .didFail(PlaybackError(.network)), .pause, .retry, .didPrepare) == ready)
    let restored = PlayerStateMachine.restore(ready, saved: moment(), settings: PlayerSettings(rate: rate))
    #expect(after(restored.state, .didPrepare) == ready)
  }

  /// A track that replaces a paused one is cued; behind a hold other than a user's pause, it waits for that
  /// hold.
  @Test(arguments: PauseReason.allCases) func anotherTrackInAPausedOnesPlaceIsCued(reason: PauseReason) {
    let paused = PlayerState.paused(track: one, position: Frames(9), reason: reason)
    for event in [PlayerEvent.removed(one, next: three), .didReachEnd(next: three)] {
      let next = after(paused, event, .didPrepare)
      if reason == .user {
        #expect(next == .ready(track: three, position: .zero))
      } else {
        #expect(next.pauseReason == reason, "\(next)")
      }
    }
  }

  /// A load in each state: it plays if music plays, keeps a hold, and is cued otherwise.
  @Test func aLoadSoundsWhenTheMusicWouldHave() {
    for row in table {
      let (state, start) = (row.state, Frames(500))
      var settings = PlayerSettings(rate: rate)
      settings.fadesManually = row.fadesManually
      var machine = PlayerStateMachine(state: state, settings: settings)
      let loaded = machine.handle(.load(three, at: start), at: moment()).state
      let isHeard = state.isActive && state.kind != .fadingOut
      let intent = Self.intent(of: state)
      let expected: Intent =
        switch intent {
        case .pause(let reason) where reason != .user: .pause(reason)
        default: isHeard || state == .idle(cause: nil, armed: .armed) ? .play : .cue
        }
      switch loaded {
      case .preparing(let track, let now, let place):
        #expect(track == three && place == start && now == expected, "\(row.name): \(now)")
      case .preparingCrossfade(_, let next, let plan):
        #expect(next == three && plan.start == start && expected == .play, "\(row.name)")
      default: Issue.record("\(row.name): \(loaded.kind)")
      }
    }
  }

  /// The intent of a state; nil if it has none.
  private static func intent(of state: PlayerState) -> Intent? {
    switch state {
    case .preparing(_, let intent, _), .buffering(_, let intent), .seeking(_, _, let intent),
      .failed(_, _, _, let intent):
      intent
    case .paused(_, _, let reason), .crossfadePaused(_, _, _, _, let reason): .pause(reason)
    default: nil
    }
  }
}
