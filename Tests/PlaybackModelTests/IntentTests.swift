// A paused player stays paused through failures, retries, automatic skips and a restart. Test threads.
import PlaybackModel
import Testing

@Suite struct IntentTests {
  static let silent: [Intent] = [.cue] + PauseReason.allCases.map { .pause($0) }
  static let network = PlaybackError(.network)

  private func machine(_ state: PlayerState) -> PlayerStateMachine {
    PlayerStateMachine(state: state, settings: PlayerSettings(rate: rate))
  }

  private func after(_ state: PlayerState, _ events: PlayerEvent...) -> PlayerState {
    var machine = machine(state)
    for event in events { _ = machine.handle(event, at: moment()) }
    return machine.state
  }

  private func intent(_ state: PlayerState) -> Intent? {
    switch state {
    case .failed(_, _, _, let intent), .preparing(_, let intent, _), .buffering(_, let intent),
      .seeking(_, _, let intent):
      intent
    default: nil
    }
  }

  @Test(arguments: [Intent.play] + silent) func aFailureKeepsTheIntent(intent: Intent) {
    for pending in [
      PlayerState.preparing(track: one, intent: intent, start: .zero),
      .buffering(track: one, intent: intent), .seeking(track: one, target: .zero, intent: intent),
    ] {
      #expect(self.intent(after(pending, .didFail(Self.network))) == intent)
      #expect(self.intent(after(pending, .storageRemoved(path: "/mnt"))) == intent)
    }
  }

  @Test(arguments: PauseReason.allCases) func aFailureWhilePausedKeepsTheReason(reason: PauseReason) {
    for state in [PlayerState.paused(track: one, position: .zero, reason: reason), held(30, reason)] {
      let missing = PlaybackError(.outputUnavailable)
      #expect(intent(after(state, .didFail(missing))) == .pause(reason))
    }
    #expect(intent(after(.playing(track: one), .didFail(Self.network))) == .play)
    #expect(intent(after(.ready(track: one, position: .zero), .didFail(Self.network))) == .cue)
  }

  @Test(arguments: [Intent.play] + silent) func whatTheBoxDoesByItselfKeepsTheIntent(intent: Intent) {
    #expect(
      after(failed(.network, intent), .retry) == .preparing(track: one, intent: intent, start: Frames(9)))
    #expect(
      after(failed(.corrupt, intent), .queueMovedOn(to: three))
        == .preparing(track: three, intent: intent.forAnotherTrack, start: .zero))
    #expect(
      self.intent(after(failed(.network, intent), .retry, .didFail(Self.network), .retry)) == intent)
  }

  @Test(arguments: silent) func onlyAPersonsPlayOrSkipSounds(intent: Intent) {
    for event in [PlayerEvent.play, .toggle, .skip(to: three)] {
      #expect(self.intent(after(failed(.network, intent), event)) == .play)
    }
  }

  @Test func whoHoldsTheSoundHoldsWhatComesOfTheNextTry() {
    #expect(intent(after(failed(.network), .pause)) == .pause(.user))
    #expect(intent(after(failed(.network), .pause, .retry)) == .pause(.user))
    #expect(intent(after(failed(.network), .standby)) == .pause(.standby))
    #expect(intent(after(failed(.network), .standby, .wake)) == .play)
    #expect(
      intent(after(failed(.network), .interruptionBegan, .interruptionEnded(shouldResume: true))) == .play)
    #expect(
      intent(after(failed(.network), .interruptionBegan, .interruptionEnded(shouldResume: false)))
        == .pause(.user))
    #expect(intent(after(failed(.network), .pause, .interruptionBegan, .wake)) == .pause(.user))
    #expect(intent(after(failed(.network), .interruptionBegan, .pause)) == .pause(.user))
  }

  /// An announcement holds the music that it started over, and releases it unless another hold remains.
  @Test(arguments: [PlayerState.playing(track: one), fading(20), waiting(.automatic, isArmed: true)])
  func anAnnouncementHoldsForAsLongAsItSounds(state: PlayerState) {
    let held = after(state, .announcementBegan)
    #expect(held.pauseReason == .announcement)
    #expect(after(held, .announcementEnded).isActive)
    for event in [PlayerEvent.pause, .standby, .interruptionBegan] {
      #expect(!after(held, event, .announcementEnded).isActive)
    }
    #expect(after(held, .outputLost).pauseReason == .announcement)
    #expect(after(state, .interruptionBegan, .announcementBegan).pauseReason == .interruption)
  }

  /// A live source holds the music, also across an announcement.
  @Test(arguments: [PlayerState.playing(track: one), fading(20), waiting(.automatic, isArmed: true)])
  func aLiveSourceHoldsForAsLongAsItSounds(state: PlayerState) {
    let held = after(state, .liveInputBegan)
    #expect(held.pauseReason == .liveInput)
    #expect(after(held, .liveInputEnded).isActive && after(held, .play, .liveInputEnded).isActive)
    for event in [PlayerEvent.pause, .standby, .interruptionBegan] {
      #expect(!after(held, event, .liveInputEnded).isActive)
    }
    #expect(after(held, .announcementBegan, .announcementEnded).pauseReason == .liveInput)
    #expect(after(state, .announcementBegan, .liveInputBegan, .announcementEnded).pauseReason == .liveInput)
    #expect(after(held, .interruptionEnded(shouldResume: true), .wake).pauseReason == .liveInput)
    let lost = after(held, .outputLost)
    #expect(lost.pauseReason == .liveInput)
    let machine = PlayerStateMachine.restore(lost, saved: moment(), settings: PlayerSettings(rate: rate))
    #expect(machine.state.pauseReason != .liveInput)
  }

  /// A returning output acts as the retry; the user's pause is kept.
  @Test func anOutputThatComesBackKeepsTheIntent() {
    #expect(intent(after(failed(.outputUnavailable), .outputRestored)) == .play)
    #expect(
      after(failed(.outputUnavailable, .pause(.user)), .outputRestored)
        == .preparing(track: one, intent: .pause(.user), start: Frames(9)))
    #expect(
      intent(after(failed(.outputUnavailable), .outputLost, .outputRestored)) == .play,
      "the output's own hold ends with it")
  }

  /// The end of an interruption from before a restart is never reported, so it is dropped; a user's pause and
  /// a standby are kept.
  @Test func aRestartKeepsTheIntent() {
    func restored(_ state: PlayerState) -> PlayerState {
      PlayerStateMachine.restore(state, saved: moment(), settings: PlayerSettings(rate: rate)).state
    }
    for intent in [
      Intent.play, .pause(.interruption), .pause(.outputLost), .pause(.announcement), .pause(.liveInput),
    ] {
      #expect(
        restored(failed(.network, intent)) == .preparing(track: one, intent: .play, start: Frames(9)))
    }
    for intent in [Intent.pause(.user), .pause(.standby), .cue] {
      #expect(
        restored(failed(.network, intent)) == .preparing(track: one, intent: intent, start: Frames(9)))
    }
    #expect(restored(failed(.corrupt)).kind == .idle)
  }

  /// A user who presses `previous` may not know that the track failed, or that the box was restarted or
  /// stopped since.
  @Test func aSkipOutOfAFailurePlays() {
    let failed = failed(.corrupt)
    let restarted = PlayerStateMachine.restore(failed, saved: moment(), settings: PlayerSettings(rate: rate))
    for idle in [restarted.state, after(failed, .stop)] {
      #expect(idle.kind == .idle)
      #expect(after(idle, .skip(to: two)) == .preparing(track: two, intent: .play, start: .zero))
    }
  }

  /// As in all states without a pause.
  @Test(arguments: Arming.allCases) func aSkipOnABoxThatHasPlayedNothingPlays(armed: Arming) {
    let idle = PlayerState.idle(cause: nil, armed: armed)
    #expect(after(idle, .skip(to: two)) == .preparing(track: two, intent: .play, start: .zero))
  }

  /// An interruption still holds the music after a change of the output; a lost output does not.
  @Test func anotherOutputKeepsAnInterruption() {
    func moved(_ state: PlayerState) -> PlayerState {
      PlayerStateMachine.restore(
        state, saved: moment(), settings: PlayerSettings(rate: rate), isRestart: false
      ).state
    }
    let called = PlayerState.paused(track: one, position: Frames(9), reason: .interruption)
    #expect(moved(called) == .preparing(track: one, intent: .pause(.interruption), start: Frames(9)))
    let lost = PlayerState.paused(track: one, position: Frames(9), reason: .outputLost)
    #expect(moved(lost) == .preparing(track: one, intent: .play, start: Frames(9)))
  }
}

@Suite struct RestoreStateTests {
  private func restore(_ state: PlayerState) -> PlayerStateMachine {
    PlayerStateMachine.restore(state, saved: moment(), settings: PlayerSettings(rate: rate))
  }

  @Test(arguments: table) func everyStateIsTakenUpAgain(row: Row) {
    let machine = restore(row.state)
    #expect(machine.state.isValid)
    #expect(machine.outputIsLost == (machine.state.pauseReason == .outputLost))
    #expect(machine.history.total == 0)
    switch row.state.kind {
    case .playing, .preparingCrossfade:
      #expect(machine.state == .preparing(track: one, intent: .play, start: moment().current))
    case .crossfading, .crossfadePaused: #expect(machine.state.kind == .crossfadePaused)
    case .idle, .finished: #expect(machine.state == row.state)
    case .fadingOut: #expect(machine.state == .finished(last: one))
    case .failed: #expect(machine.state.kind == .preparing || machine.state.kind == .idle)
    case .preparing, .ready, .paused, .buffering, .seeking: #expect(machine.state.kind == .preparing)
    }
  }

  /// A running fade waits for its output, and resumes by itself from its last frame.
  @Test func aFadeGoesOnWhereItWas() {
    var machine = restore(fading(20))
    check(machine.handle(.outputRestored, at: moment()).state == fading(30))
    var quick = restore(fading(20, pace: .quick))
    check(quick.handle(.outputRestored, at: moment()).state == fading(30, pace: .quick))
    var held = restore(PlaybackModelTests.held(30, .user))
    check(held.handle(.outputRestored, at: moment()).verdict == .unchanged, "a person's pause stays")
  }

  /// The stated length of an MP3 file may be a guess. If more has been played, the position is kept across
  /// power cuts and failures, and a seek beyond the length is not clamped.
  @Test func aLengthThatWasPlayedPastCostsNoPlace() {
    let short = track(1, "one", length: Frames(700))
    let saved = Moment(time: 0, current: Frames(5000))
    let settings = PlayerSettings(rate: rate)
    var machine = PlayerStateMachine.restore(.playing(track: short), saved: saved, settings: settings)
    #expect(machine.state == .preparing(track: short, intent: .play, start: Frames(5000)))
    machine = PlayerStateMachine(state: .playing(track: short), settings: settings)
    let failure = PlaybackError(.storageRemoved, path: "one")
    check(machine.handle(.didFail(failure), at: saved).state.kind == .failed)
    check(
      machine.handle(.retry, at: saved).state == .preparing(track: short, intent: .play, start: Frames(5000)))
    machine = PlayerStateMachine(state: .playing(track: short), settings: settings)
    check(
      machine.handle(.seek(Frames(6000)), at: saved).state
        == .seeking(track: short, target: Frames(6000), intent: .play))
    // As long as the length has not been disproved, it limits seeks.
    machine = PlayerStateMachine(state: .playing(track: short), settings: settings)
    check(
      machine.handle(.seek(Frames(6000)), at: Moment(time: 0, current: Frames(600))).state
        == .seeking(track: short, target: Frames(700), intent: .play))
  }

  /// During a fade, each track's own position counts: the outgoing one's does not disprove the incoming one's
  /// length.
  @Test func anotherTracksPlaceDisprovesNoLength() {
    let (long, short) = (track(1, "one"), track(2, "two", length: Frames(700)))
    var machine = PlayerStateMachine(
      state: .crossfading(
        from: long, to: short, curve: .linear, progress: FadeProgress(index: Frames(10), length: Frames(100)),
        pace: .ordered), settings: PlayerSettings(rate: rate))
    let now = Moment(time: 0, current: Frames(5000), next: Frames(10))
    check(
      machine.handle(.seek(Frames(6000)), at: now).state
        == .seeking(track: short, target: Frames(700), intent: .play))
  }

  /// A tag resumes an audio book at its bookmark, although its length is a guess and another track is
  /// playing: by a cut, by a fade, and in place of a pending fade.
  @Test(arguments: [true, false]) func aPlaceThatIsRememberedIsBelievedBeforeALength(fades: Bool) {
    let (music, book) = (track(1, "one"), track(2, "two", length: Frames(700)))
    var settings = PlayerSettings(rate: rate)
    settings.fadesManually = fades
    for state in [
      PlayerState.playing(track: music),
      .preparingCrossfade(
        current: music, next: track(3, "three"),
        plan: PlannedFade(.automatic, Fade(length: Frames(300), curve: .linear))),
    ] {
      var machine = PlayerStateMachine(state: state, settings: settings)
      let now = machine.handle(.load(book, at: Frames(5000)), at: moment()).state
      switch now {
      case .preparing(let track, _, let start): #expect(track == book && start == Frames(5000))
      case .preparingCrossfade(_, let next, let plan):
        #expect(next == book && plan.start == Frames(5000))
      default: Issue.record("\(now)")
      }
    }
  }

  @Test func anOutageIsRememberedAcrossARestart() {
    var machine = PlayerStateMachine(state: held(30, .outputLost))
    #expect(machine.outputIsLost)
    check(machine.handle(.play, at: moment()).verdict == .unchanged)
  }
}
