// The control side of playing: feeds events to the state machine, and has the decks follow its state. Puts the player's
// owners together; each keeps its own state. Control thread only; never waits.

import Flight
import PlaybackModel
import Platform
import RealtimeAudio

/// Plays a queue through two decks.
package final class Player {
  /// The state machine.
  package private(set) var machine: PlayerStateMachine
  /// How loud, as the knob says.
  package internal(set) var volume = Volume(100)
  /// How the volume becomes a gain.
  package internal(set) var volumeCurve = VolumeCurve.cubic
  /// Gets everything that a person may want to know.
  package var observer: (any PlayerObserver)?
  /// Called when rendering stands at the limit that was set, before anything beyond it is rendered.
  package var onLimit: ((Frames) -> Void)?

  let decks: Decks
  let playerQueue: PlayerQueue
  let positions: PositionReader
  let decoding: DecodingMonitor
  let failures: TrackFailures
  let succession: SuccessionPlanner
  private let observation: DeckObservation
  private let reports: ReportReader
  let recording: PlayerFlight
  let settling: SettleLoop
  let tuning: SpeakerTuning

  /// A player in `idle`, with an empty queue.
  ///
  /// - Parameters:
  ///   - scheduler: The clock and the timers: of the machine, or of a recording.
  ///   - link: The connection to the audio loop, which may run already.
  ///   - decoders: Opens tracks.
  ///   - rate: The output's rate.
  ///   - isOffline: Whether it makes a recording: what is rendered counts as heard, and time moves with the frames.
  ///   - isStrict: Whether a contradiction between state and decks ends the process, as in tests.
  package init(
    scheduler: any Scheduler, link: AudioLink, decoders: any DecoderSource, rate: SampleRate, isOffline: Bool,
    isStrict: Bool
  ) {
    let settings = PlayerSettings(rate: rate)
    machine = PlayerStateMachine(settings: settings, isStrict: isStrict)
    let sender = CommandSender(link, scheduler)
    decks = Decks(
      sender, DeckDecoders(scheduler, decoders, rate: rate),
      AnnouncementDeck(scheduler, sender, decoders, rate: rate), LiveInputDeck(sender, link, rate: rate),
      declick: settings.declickFrames)
    playerQueue = PlayerQueue(PlayQueue(seed: scheduler.now))
    positions = PositionReader(scheduler, link: link, decks: decks, rate: rate, isOffline: isOffline)
    decoding = DecodingMonitor(scheduler, decks, positions, rate: rate)
    failures = TrackFailures(scheduler)
    succession = SuccessionPlanner(scheduler, decks, playerQueue, positions, decoding)
    observation = DeckObservation(decks, playerQueue, succession, decoding)
    reports = ReportReader(link, decks, positions, decoding)
    recording = PlayerFlight(scheduler, link: link, decks: decks, rate: rate)
    settling = SettleLoop(scheduler, decks.sender)
    tuning = SpeakerTuning(decks.sender, rate: rate)
    connect()
  }

  /// Lets the owners call back.
  private func connect() {
    decks.decoders.onEvents = { [unowned(unsafe) self] in hearDecoders() }
    connectAnnouncements()
    decks.decoders.probe.onSound = { [unowned(unsafe) self] in endFallback() }
    playerQueue.onChange = { [unowned(unsafe) self] in settling.runSoon() }
    decoding.onRefillDue = { [unowned(unsafe) self] in settle() }
    decoding.deaths.onDue = { [unowned(unsafe) self] in settle() }
    failures.onRetryDue = { [unowned(unsafe) self] in
      flight?.noteRetry()
      handle(.retry)
    }
    decks.onGap = { [unowned(unsafe) self] in observer?.player(self, missed: $1, of: $0) }
    failures.onNextDue = { [unowned(unsafe) self] in
      playerQueue.moveOn(from: nil)
      settle()
    }
    observation.onError = { [unowned(unsafe) self] in noteBesides($0) }
    observation.onUseless = { [unowned(unsafe) self] in slowDown() }
    succession.onDue = { [unowned(unsafe) self] in settle() }
    settling.onDue = { [unowned(unsafe) self] in settle() }
    decoding.titles.onTitle = { [unowned(unsafe) self] in observer?.player(self, heard: $0, of: $1) }
  }

  /// What is played. A removed track gives way at once; any other change takes effect on the event loop's next turn.
  package var queue: PlayQueue {
    get { playerQueue.queue }
    _modify {
      defer { followQueue() }
      yield &playerQueue.queue
    }
  }

  /// Has the state give up a track that the queue no longer holds.
  private func followQueue() {
    guard playerQueue.removedTrack(in: machine.state) != nil else { return }
    takeReports()
    settle()
  }

  // MARK: Requests

  /// Gives one event to the machine, with all that follows from it. Reports that wait are taken first.
  ///
  /// - Returns: What the machine made of it. Nothing follows from an event that it rejects.
  @discardableResult
  package func handle(_ event: PlayerEvent) -> Verdict {
    takeReports()
    return decide(event)
  }

  /// Handles an event that was chosen after reports were taken; none is taken in between. `anew`: a person wants all retries again.
  @discardableResult
  func decide(_ event: PlayerEvent, anew: Bool = false) -> Verdict {
    if anew { machine.forgetRetries() }
    playerQueue.dropAnswer()
    if event.kind.origin == .user { failures.endRow() }
    endRemovedTrack(before: event)
    let verdict = process(event, at: moment())
    settle()
    return verdict
  }

  /// Ends a removed track that falls silent before a skip, whose fade would bring the track's level back. At the very beginning of the
  /// ramp the skip still fades.
  private func endRemovedTrack(before event: PlayerEvent) {
    guard case .skip(.some) = event, case .fadingOut(_, let duration) = machine.state, isEndedTrackRemoved
    else { return }
    let now = moment()
    let unheard = rate.seconds(duration).value * 1e9 * Self.unheardRamp
    guard now.time > playerQueue.removedAt &+ UInt64(max(0, unheard)) else { return }
    process(.stop, at: now)
  }

  /// The part of a ramp's length in which it lowers the level by less than 0.2 dB.
  private static let unheardRamp = 0.02

  /// Everything the machine decides by, from now on.
  package func adopt(_ settings: PlayerSettings) {
    guard settings != machine.settings else { return }
    machine.settings = settings
    flight?.note(settings)
    settle()
  }

  /// Takes up a state from before a restart, or from another output, as `PlayerStateMachine.restore` explains. The queue
  /// has been restored before.
  ///
  /// - Parameters:
  ///   - state: The state that the checkpoint holds, with positions at this output's rate.
  ///   - saved: Where everything stood when the checkpoint was written.
  ///   - isRestart: Whether the box was off meanwhile.
  package func restore(_ state: PlayerState, saved: Moment, isRestart: Bool = true) {
    machine = PlayerStateMachine.restore(
      state, saved: saved, settings: machine.settings, isStrict: machine.isStrict, isRestart: isRestart)
    noteUnattended([machine.state.currentTrack, queue.current].compactMap { $0 })
    // A skip that was not heard yet had moved the queue already.
    if queue.current != nil, let track = machine.state.heardTrack { playerQueue.select(track) }
    observer?.playerDidChange(self)
    settle()
  }

  /// Gives the decoders their turn while a recording waits for the next `chunk` frames. It stops before a ring runs dry, and waits for
  /// more; where the network has broken a stream off, none will come, and it is as if the ring had run dry.
  package func awaitDecoders(for chunk: Frames) {
    decoding.await(chunk)
    guard machine.state.kind == .playing, decoding.isBrokenOff(within: chunk) else { return }
    process(.didStarve, at: moment())
    settle()
  }

  /// Lets the state show how far a running fade has come.
  package func refresh() { if let progress = moment().fade { machine.observe(progress: progress) } }

  // MARK: The machine

  /// Lets the decks follow the state, and the state what can be seen of the decks, until both agree.
  private func settle() {
    guard settling.run({ step() }) else { return }
    decks.sender.flush()
    succession.plan(machine.state, machine.settings)
    decoding.deaths.plan(in: machine.state)
    decoding.titles.look(isMoving: machine.state.isActive)
    followFallback()
  }

  /// One round. Whether there may be more to do.
  private func step() -> Bool {
    learnOutcomes()
    if let event = playerQueue.removal(in: machine.state) {
      if playerQueue.fallback == nil { decks.decoders.probe.rest() }
      let moment = moment()
      if machine.state.kind != .fadingOut { playerQueue.removedAt = moment.time }
      process(event, at: moment)
      return true
    }
    followState()
    if let answer = playerQueue.takeAnswer() {
      process(answer, at: moment())
      return true
    }
    guard let event = observation.event(in: machine.state, machine.settings) else { return false }
    process(event, at: moment())
    if event == .didPrepare || event == .didSeek { settleLanding() }
    return true
  }

  private func learnOutcomes() {
    for deck in Deck.allCases {
      if let error = decoding.learnOutcome(deck, in: machine.state) { noteBesides(error) }
    }
  }

  /// Reports an error that changes no state.
  private func noteBesides(_ error: PlaybackError) {
    machine.note(error, at: moment())
    report(error)
  }

  private func followState() {
    if machine.state.kind != .failed { failures.stopRetrying() }
    let plan = DeckPlan(
      machine.state, succession: succession.wanted(in: machine.state, machine.settings),
      isFadeRunning: decks.facts.fade != nil, settings: machine.settings)
    for order in decks.facts.orders(toReach: plan, machine.settings) { decks.carryOut(order) }
  }

  /// A decoder goes no further than its track, whatever the length said: where it has come to stand is the position.
  private func settleLanding() {
    guard let place = decks.noteLanding(), place != machine.state.silentPosition,
      machine.settle(current: place)
    else { return }
    observer?.playerDidChange(self)
    observer?.playerWantsCheckpoint(self)
  }

  @discardableResult
  private func process(_ event: PlayerEvent, at moment: Moment) -> Verdict {
    let (before, wasLost) = (machine.state, machine.outputIsLost)
    let outcome = machine.handle(event, at: moment)
    recording.record(event, from: before, to: machine.state, outcome.verdict, at: moment)
    for effect in outcome.effects { carryOut(effect) }
    forgetStopPoint(ofWhatPlayedIn: before)
    if decks.liveInputs.isEnded(by: event, in: machine.state) { decks.liveInputs.finish(.dismissed) }
    let change = ListeningChange(
      from: before, to: machine.state, by: event, at: moment, ending: decks.ending(event))
    if let change { report(change) }
    // A card that goes or is back is news where nothing is played, too: a live source may have been heard.
    if outcome.verdict == .changed || machine.outputIsLost != wasLost { observer?.playerDidChange(self) }
    return outcome.verdict
  }

  // MARK: What decoders and the audio thread report

  func hearDecoders() {
    takeReports()
    decks.announcements.takeDecoderEvents()
    for deck in Deck.allCases {
      for track in decks.takeDecoderEvents(deck) {
        machine.describe(track)
        queue.describe(track)
        observer?.playerDidChange(self)
      }
    }
    settle()
  }

  /// Takes everything that the audio thread has reported, with all that follows from it.
  package func takeReports() {
    while let report = reports.next() {
      take(report)
      settle()
      positions.endReport()
    }
  }

  private func take(_ report: AudioReport) {
    recording.record(report, isActive: machine.state.isActive)
    switch report {
    case .mixer(let stamped):
      positions.beginReport(at: stamped.positions.frame)
      switch reports.take(stamped, in: machine.state) {
      case .none: break
      case .event(let event, let moment): process(event, at: moment)
      case .settled(let moment):
        if machine.settle(current: moment.current, next: moment.next, fade: moment.fade) {
          observer?.playerDidChange(self)
        }
      }
    case .underrun(let frame):
      observer?.player(self, notes: "The output ran dry at frame \(frame.count); playing continues.")
    case .deviceLost:
      observer?.player(self, notes: "The sound device is gone; waiting for it to come back.")
      decks.noteLoss()
      process(.outputLost, at: moment())
    case .deviceRestored:
      observer?.player(self, notes: "The sound device is back.")
      process(.outputRestored, at: moment())
    case .ringLow(let deck): if decks.facts[deck]?.stage == .started { decoding.expectProgress(deck) }
    case .wentShallow:
      observer?.player(self, notes: "The device cannot rewind its queue; using a short buffer from now on.")
    case .limitReached(let frame):
      positions.beginReport(at: frame)
      onLimit?(frame)
    }
  }
}
