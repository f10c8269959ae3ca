// The player: passes events to the state machine and makes the decks follow its state. Composes the owners in
// `Owners/` and `Decks/`, which keep their state private. Control thread only; never blocks.

import Flight
import PlaybackModel
import Platform
import RealtimeAudio

/// Plays a queue through two decks.
package final class Player {
  /// The state machine.
  package private(set) var machine: PlayerStateMachine
  /// The volume set by the user.
  package internal(set) var volume = Volume(100)
  /// The mapping from volume to gain.
  package internal(set) var volumeCurve = VolumeCurve.cubic
  /// Receives changes of state, errors and messages.
  package var observer: (any PlayerObserver)?
  /// Called when rendering has reached the set limit, before any frame beyond it is rendered.
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

  /// Creates a player in `idle` with an empty queue.
  ///
  /// - Parameters:
  ///   - scheduler: Clock and timers: the system's, or those of a recording.
  ///   - link: The connection to the audio loop, which may already be running.
  ///   - decoders: Opens decoders for tracks.
  ///   - rate: The output's rate.
  ///   - isOffline: Whether it makes a recording: rendered frames count as heard, and time advances with them.
  ///   - isStrict: Whether an inconsistency between state and decks terminates the process; for tests.
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

  /// Installs the callbacks of the owners.
  private func connect() {
    decks.decoders.onEvents = { [unowned(unsafe) self] in hearDecoders() }
    decks.decoders.isAlone = { [unowned(unsafe) self] in playerQueue.isAlone($0) }
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

  /// The queue. A removed track is replaced at once; other changes take effect in the event loop's next turn.
  package var queue: PlayQueue {
    get { playerQueue.queue }
    _modify {
      defer { followQueue() }
      yield &playerQueue.queue
    }
  }

  /// Replaces a playing track that was removed from the queue.
  private func followQueue() {
    guard playerQueue.removedTrack(in: machine.state) != nil else { return }
    takeReports()
    settle()
  }

  // MARK: Requests

  /// Passes an event to the state machine and carries out its effects. Pending reports are processed first.
  ///
  /// - Returns: The verdict. A rejected event has no effect.
  @discardableResult
  package func handle(_ event: PlayerEvent) -> Verdict {
    takeReports()
    return decide(event)
  }

  /// Handles an event that was chosen after processing the pending reports. `anew`: reset the retry count, because
  /// the user asked for it.
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

  /// Ends a removed track that is ramping down before a skip; the skip's fade would raise its level again. At the
  /// very beginning of the ramp the skip still crossfades.
  private func endRemovedTrack(before event: PlayerEvent) {
    guard case .skip(.some) = event, case .fadingOut(_, let duration) = machine.state, isEndedTrackRemoved
    else { return }
    let now = moment()
    let unheard = rate.seconds(duration).value * 1e9 * Self.unheardRamp
    guard now.time > playerQueue.removedAt &+ UInt64(max(0, unheard)) else { return }
    process(.stop, at: now)
  }

  /// Fraction of a ramp during which the level drops by less than 0.2 dB.
  private static let unheardRamp = 0.02

  /// Adopts the settings of fades, ramps and retries.
  package func adopt(_ settings: PlayerSettings) {
    guard settings != machine.settings else { return }
    machine.settings = settings
    flight?.note(settings)
    settle()
  }

  /// Restores a state from a checkpoint or from the previous output; see `PlayerStateMachine.restore`. The queue must
  /// have been restored before.
  ///
  /// - Parameters:
  ///   - state: The saved state, with positions at this output's rate.
  ///   - saved: The audible positions when the checkpoint was written.
  ///   - isRestart: Whether the daemon was restarted, as opposed to a change of output.
  package func restore(_ state: PlayerState, saved: Moment, isRestart: Bool = true) {
    machine = PlayerStateMachine.restore(
      state, saved: saved, settings: machine.settings, isStrict: machine.isStrict, isRestart: isRestart)
    noteUnattended([machine.state.currentTrack, queue.current].compactMap { $0 })
    // A skip that was not yet audible had already moved the queue.
    if queue.current != nil, let track = machine.state.heardTrack { playerQueue.select(track) }
    observer?.playerDidChange(self)
    settle()
  }

  /// Waits for the decoders of a recording before it renders the next `chunk` frames. Recordings stop before a ring
  /// runs dry, so a stream broken off by the network is reported as starved here.
  package func awaitDecoders(for chunk: Frames) {
    decoding.await(chunk)
    guard machine.state.kind == .playing, decoding.isBrokenOff(within: chunk) else { return }
    process(.didStarve, at: moment())
    settle()
  }

  /// Updates the fade progress in the state.
  package func refresh() { if let progress = moment().fade { machine.observe(progress: progress) } }

  // MARK: State machine

  /// Runs steps until decks and state agree, then flushes the commands and updates timers.
  private func settle() {
    guard settling.run({ step() }) else { return }
    decks.sender.flush()
    succession.plan(machine.state, machine.settings)
    decoding.deaths.plan(in: machine.state)
    decoding.titles.look(isMoving: machine.state.isActive)
    followFallback()
  }

  /// Performs one step. Returns whether there may be more to do.
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

  /// Reports an error that does not change the state.
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

  /// Adopts the position at which the decoder actually landed; a target beyond the track's end is corrected.
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
    // Loss and return of the output matter in `idle` too: a live source may have been playing.
    if outcome.verdict == .changed || machine.outputIsLost != wasLost { observer?.playerDidChange(self) }
    return outcome.verdict
  }

  // MARK: Reports of decoders and the audio thread

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

  /// Processes all pending reports of the audio thread.
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
      let text = "The output ran dry at frame \(frame.count); playing continues."
      observer?.player(self, notes: PlayerNote(.other, text))
    case .deviceLost:
      observer?.player(
        self, notes: PlayerNote(.device, "The sound device is gone; waiting for it to come back."))
      decks.noteLoss()
      process(.outputLost, at: moment())
    case .deviceRestored:
      observer?.player(self, notes: PlayerNote(.device, "The sound device is back."))
      process(.outputRestored, at: moment())
    case .ringLow(let deck): if decks.facts[deck]?.stage == .started { decoding.expectProgress(deck) }
    case .wentShallow:
      let text = "The device cannot rewind its queue; using a short buffer from now on."
      observer?.player(self, notes: PlayerNote(.other, text))
    case .limitReached(let frame):
      positions.beginReport(at: frame)
      onLimit?(frame)
    }
  }
}
