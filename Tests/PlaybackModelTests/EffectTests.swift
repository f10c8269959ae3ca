// Effects of the state machine other than deck commands, and their order. Test threads.
import PlaybackModel
import Testing

private func run(_ state: PlayerState, _ event: PlayerEvent, manual: Bool = false) -> Outcome {
  var settings = PlayerSettings(rate: rate)
  settings.fadesManually = manual
  settings.manualFadeLength = Seconds(4)
  var machine = PlayerStateMachine(state: state, settings: settings)
  return machine.handle(event, at: moment())
}

private let firstDeath = DecoderDeath(crashed, count: 1, isInTime: true)
private let secondDeath = DecoderDeath(crashed, count: 2, isInTime: true)

@Suite struct EffectTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let state: PlayerState
    let event: PlayerEvent
    let effects: [PlayerEffect]
    var testDescription: String { "\(event.kind.name) while \(state.displayText)" }

    init(_ state: PlayerState, _ event: PlayerEvent, _ effects: PlayerEffect...) {
      self.state = state
      self.event = event
      self.effects = effects
    }
  }

  /// The queue follows the audible or cued track without a command.
  static let queueFollows: [Case] = [
    Case(.playing(track: one), .didAdvance(two), .nowPlaying(two), .checkpoint),
    Case(.playing(track: one), .didReachEnd(next: two), .nowPlaying(two), .checkpoint),
    Case(.playing(track: one), .didReachEnd(next: nil), .checkpoint),
    Case(
      .paused(track: one, position: .zero, reason: .user), .didAdvance(two), .nowPlaying(two), .checkpoint),
    Case(.fadingOut(track: one, duration: .zero), .didAdvance(two), .nowPlaying(two), .checkpoint),
    Case(
      .fadingOut(track: one, duration: .zero), .crossfadeBegan(to: two, fade: tenSeconds), .nowPlaying(two),
      .checkpoint),
    Case(
      waiting(.automatic, isArmed: true), .crossfadeBegan(to: two, fade: tenSeconds), .nowPlaying(two),
      .checkpoint),
    Case(waiting(.automatic, isArmed: true), .didReachEnd(next: nil), .nowPlaying(two), .checkpoint),
    Case(
      waiting(.manual, isArmed: false), .didFail(corrupt), .report(corrupt), .nowPlaying(two), .checkpoint),
    Case(failed(.corrupt), .queueMovedOn(to: three), .nowPlaying(three), .checkpoint),
  ]

  /// A user's skip that is not audible yet is reverted by other events, because the queue has already moved.
  static let skipsTakenBack: [Case] = [
    Case(waiting(.manual, isArmed: true), .pause, .nowPlaying(one), .checkpoint),
    Case(waiting(.manual, isArmed: true), .stop, .nowPlaying(one), .checkpoint),
    Case(waiting(.manual, isArmed: true), .seek(.zero), .nowPlaying(one), .checkpoint),
    Case(waiting(.automatic, isArmed: true), .pause, .checkpoint),
    Case(waiting(.automatic, isArmed: true), .stop, .checkpoint),
  ]

  /// An unplayable next track is skipped; a track that the user selected is replaced.
  static let uselessNexts: [Case] = [
    Case(
      waiting(.automatic, isArmed: true), .didFailNext(corrupt), .report(corrupt), .passOver(two),
      .checkpoint),
    Case(
      waiting(.manual, isArmed: false), .didFailNext(corrupt), .report(corrupt), .skipPast(two), .checkpoint),
    Case(
      fading(20), .didFailNext(corrupt), .report(corrupt), .nowPlaying(one), .passOver(two), .checkpoint),
    Case(
      held(20, .user), .didFailNext(corrupt), .report(corrupt), .nowPlaying(one), .passOver(two), .checkpoint),
    Case(.playing(track: one), .didFailNext(corrupt), .report(corrupt)),
    Case(.playing(track: one), .decoderDied(firstDeath), .restartDecoder(.current)),
    Case(.playing(track: one), .decoderDied(secondDeath), .endDecoder(.current)),
    Case(.playing(track: one), .nextDecoderDied(firstDeath), .restartDecoder(.next)),
    Case(.playing(track: one), .nextDecoderDied(secondDeath), .endDecoder(.next)),
    Case(fading(20), .decoderDied(secondDeath), .endDecoder(.current)),
    Case(fading(20), .nextDecoderDied(firstDeath), .restartDecoder(.next)),
    Case(
      fading(20), .nextDecoderDied(secondDeath), .report(crashed), .nowPlaying(one), .passOver(two),
      .checkpoint),
    Case(
      held(20, .user), .nextDecoderDied(secondDeath), .report(crashed), .nowPlaying(one), .passOver(two),
      .checkpoint),
    Case(fading(20), .didFail(corrupt), .report(corrupt)),
  ]

  @Test(arguments: queueFollows + skipsTakenBack + uselessNexts)
  func ordersWhatNoStateSays(example: Case) {
    #expect(run(example.state, example.event).effects == example.effects)
  }

  /// A box that was paused plays no error cue.
  @Test(
    arguments: [
      .paused(track: one, position: .zero, reason: .user), .ready(track: one, position: .zero),
      .preparing(track: one, intent: .pause(.standby), start: .zero),
      .seeking(track: one, target: .zero, intent: .pause(.interruption)),
    ] as [PlayerState])
  func anErrorIsHeardOnlyWhereSoundWas(silent: PlayerState) {
    #expect(!run(silent, .didFail(corrupt)).effects.contains(.playCue(corrupt)))
    #expect(run(.playing(track: one), .didFail(corrupt)).effects.contains(.playCue(corrupt)))
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
      #expect(failed.state == .failed(error: hung, track: one, position: Frames(1000), intent: .play))
      for case .scheduleRetry(let wait) in failed.effects { waits.append(wait.value) }
      let retried = machine.handle(.retry, at: Moment(time: 0))
      #expect(retried.state == .preparing(track: one, intent: .play, start: Frames(1000)))
      #expect(retried.effects == [.checkpoint])
    }
    #expect(waits == [1, 2, 4, 8, 16])
    check(machine.handle(.didFail(hung), at: Moment(time: 0)).effects.contains(.moveOn(from: one)))
  }

  /// Each press restarts all retries from the shortest delay; the queue moves on only after automatic
  /// retries.
  @Test(arguments: [PlayerEvent.play, .toggle])
  func aPressStartsTheRetriesAnew(press: PlayerEvent) {
    let away = PlaybackError(.network, path: one.path)
    var machine = PlayerStateMachine(settings: PlayerSettings(rate: rate))
    _ = machine.handle(.play, at: Moment(time: 0))
    _ = machine.handle(.load(one, at: .zero), at: Moment(time: 0))
    func waits() -> [Double] {
      machine.handle(.didFail(away), at: Moment(time: 0)).effects.compactMap { effect in
        if case .scheduleRetry(let wait) = effect { wait.value } else { nil }
      }
    }
    for retry in 0..<3 {
      #expect(waits() == [Double(1 << retry)])
      _ = machine.handle(.retry, at: Moment(time: 0))
    }
    #expect(waits() == [8])
    for _ in 0..<12 {
      #expect(machine.handle(press, at: Moment(time: 0)).state.kind == .preparing)
      #expect(waits() == [1])
    }
    #expect(machine.handle(.retry, at: Moment(time: 0)).state.kind == .preparing)
    #expect(waits() == [2])
    machine.forgetRetries()
    _ = machine.handle(.retry, at: Moment(time: 0))
    #expect(waits() == [1])
  }

  @Test func aMissingOutputIsRetriedForEver() {
    let missing = PlaybackError(.outputUnavailable)
    var machine = PlayerStateMachine(state: .playing(track: one), settings: PlayerSettings(rate: rate))
    for _ in 0..<40 {
      let failed = machine.handle(.didFail(missing), at: Moment(time: 0))
      #expect(failed.effects.contains { if case .scheduleRetry = $0 { true } else { false } })
      _ = machine.handle(.retry, at: Moment(time: 0))
    }
  }

  @Test func errorsThatStayAreNotRetried() {
    let failed = run(.playing(track: one), .didFail(corrupt))
    #expect(
      failed.effects == [.report(corrupt), .playCue(corrupt), .moveOn(from: one), .checkpoint])
    #expect(corrupt.sentence == "The file is damaged: /mnt/usb/one.flac.")
  }

  /// A press always retries, whatever the failure was.
  @Test(arguments: PlaybackError.Kind.allCases) func aPressTriesAfterEveryFailure(kind: PlaybackError.Kind) {
    for event in [PlayerEvent.play, .toggle, .retry] {
      let state = failed(kind)
      #expect(state.canPlay)
      let machine = PlayerStateMachine(state: state)
      #expect(machine.refusal(of: .play, with: PlayerHoldings(), at: moment()) == nil)
      #expect(machine.refusal(of: .retry, with: PlayerHoldings(), at: moment()) == nil)
      #expect(run(state, event).state == .preparing(track: one, intent: .play, start: Frames(9)))
    }
    let nothing = PlayerState.failed(error: PlaybackError(kind), track: nil, position: .zero, intent: .play)
    #expect(!nothing.canPlay && run(nothing, .play).verdict == .rejected(.nothingToRetry))
  }

  /// A box that is meant to be silent plays no cue for a damaged file.
  @Test(arguments: [
    PlayerState.preparing(track: one, intent: .pause(.user), start: .zero),
    .ready(track: one, position: .zero), .paused(track: one, position: .zero, reason: .standby),
    .seeking(track: one, target: .zero, intent: .pause(.user)),
    .buffering(track: one, intent: .pause(.interruption)), held(30, .user),
  ])
  func nothingIsSaidAloudWhereNothingWasToBeHeard(state: PlayerState) {
    let failure = PlaybackError(.outputUnavailable)
    #expect(!run(state, .didFail(failure)).effects.contains(.playCue(failure)))
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

  /// Errors whose cause needs earlier events refer to the flight recorder's report.
  @Test(arguments: [
    PlaybackError.Kind.decoderCrashed, .decoderBrokeSandbox, .decoderHung, .outputUnavailable, .internal,
  ]) func theReportIsNamed(kind: PlaybackError.Kind) {
    #expect(PlaybackError(kind).remedy.contains("'swiftlet ctl report'"))
  }

  @Test func storageHoldsWhatLiesBeneathIt() {
    #expect(one.lives(beneath: "/mnt/usb") && one.lives(beneath: "/mnt/usb/") && one.lives(beneath: "/"))
    #expect(!one.lives(beneath: "/mnt/us") && !one.lives(beneath: "/mnt/usb2"))
  }
}
