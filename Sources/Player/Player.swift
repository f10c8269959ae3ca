// The control side of playing: feeds events to the state machine, and has the decks follow its state. Control thread only;
// never waits.

import Flight
import PlaybackModel
import Platform
import RealtimeAudio

/// Plays a queue through two decks.
package final class Player {
  /// The state machine.
  package internal(set) var machine: PlayerStateMachine
  /// What is played. What a change of it means for the track that comes next is seen to soon after.
  package var queue: PlayQueue { didSet { settleSoon() } }
  /// How loud, as the knob says.
  package private(set) var volume = Volume(100)
  /// Whether somebody sends `retry` when removed storage is back: then it is not tried before.
  package var isToldOfStorage = false
  /// Whether tracks of one album fade into each other, too, instead of being joined.
  package var fadesAlbums = false { didSet { settleSoon() } }
  /// Errors of tracks so far.
  package internal(set) var failedTracks = 0
  /// How often a track that failed was tried again by itself.
  package internal(set) var trackRetries = 0
  /// Told of changes.
  package var observer: (any PlayerObserver)?
  /// Told of everything that happens; nil: nobody.
  package var flight: FlightRecorder? { didSet { connectFlight() } }
  /// When the rings were recorded last.
  var ringsRecorded: UInt64 = 0
  /// Called when rendering stands at the limit that was set, before anything beyond it is rendered.
  package var onLimit: ((Frames) -> Void)?

  let scheduler: any Scheduler
  let link: AudioLink
  let decks: Decks
  let rate: SampleRate
  /// Frames that are told of are told at once, because nothing rendered is ever taken back.
  let isOffline: Bool
  /// The timeline frame of the report that is being handled.
  var handledFrame: Frames?
  /// What the queue has answered to the machine's order, if nobody asks for anything else before its turn.
  var queueAnswer: PlayerEvent?
  private var isSettling = false
  let retryTimer: DeadlineTimer
  private let settleTimer: DeadlineTimer
  let succession: DeadlineTimer
  let refillTimer: DeadlineTimer

  /// A player in `idle`, with an empty queue.
  package init(
    scheduler: any Scheduler, link: AudioLink, decoders: any DecoderSource, rate: SampleRate, isOffline: Bool,
    isStrict: Bool
  ) {
    let settings = PlayerSettings(rate: rate)
    self.scheduler = scheduler
    self.link = link
    self.rate = rate
    self.isOffline = isOffline
    decks = Decks(scheduler, link: link, source: decoders, rate: rate, declick: settings.declickFrames)
    queue = PlayQueue(seed: scheduler.now)
    machine = PlayerStateMachine(settings: settings, isStrict: isStrict)
    retryTimer = DeadlineTimer(scheduler)
    settleTimer = DeadlineTimer(scheduler)
    succession = DeadlineTimer(scheduler)
    refillTimer = DeadlineTimer(scheduler)
    decks.onEvents = { [unowned(unsafe) self] in hearDecoders() }
  }

  /// How tags' loudness is used; from the next track on.
  package var replayGain: ReplayGain {
    get { decks.replayGain }
    set { decks.replayGain = newValue }
  }

  /// Where a track begins when nobody asks for a position; nil is its beginning.
  package var startPosition: (Track) -> Frames? {
    get { decks.startPosition }
    set { decks.startPosition = newValue }
  }

  /// Whether the storage that a track lies on is away at present; nobody knows of any unless told.
  package var isStorageAway: (Track) -> Bool {
    get { decks.isStorageAway }
    set { decks.isStorageAway = newValue }
  }

  /// How quickly commands are heard.
  package var latency: CommandLatency { decks.sender.latency }

  /// Whether the audio thread is so far behind that further wishes should wait; it is held up by its device.
  package var isOverloaded: Bool { decks.sender.isOverloaded }

  /// When the track that failed is tried again, on the scheduler's clock; nil where that is not planned.
  package var retryDue: UInt64? { retryTimer.deadline }

  /// Ends all decoders. The audio thread has ended before.
  package func end() {
    for timer in [retryTimer, settleTimer, succession, refillTimer] { timer.stop() }
    decks.end()
    observer = nil
    onLimit = nil
    decks.onEvents = {}
  }

  // MARK: A person's wishes

  /// Gives one event to the machine, with all that follows from it.
  @discardableResult
  package func handle(_ event: PlayerEvent) -> Verdict {
    takeReports()
    // What somebody asks for now takes the place of what the queue had to offer.
    queueAnswer = nil
    let verdict = process(event, at: moment())
    settle()
    return verdict
  }

  /// Whether an event would be understood now. Nothing is performed.
  package func canPerform(_ event: PlayerEvent) -> Bool { machine.canPerform(event, at: moment()) }

  /// Sets the knob; the gain follows within 20 ms, or at once where nothing is heard.
  package func setVolume(_ volume: Volume) {
    self.volume = volume
    flight?.note(volume)
    decks.sender.send(.setVolume(volume.gain, ramp: rate.frames(Seconds(0.02))))
    decks.sender.flush()
    observer?.playerDidChange(self)
  }

  /// The same sum on both channels, or the channels as they are; over a de-click ramp.
  package func setMono(_ isMono: Bool) {
    decks.sender.send(.setMono(isMono))
    decks.sender.flush()
  }

  /// Plays one of the box's own sounds over whatever is heard; it starts the output if that is at rest. None
  /// where the audio thread is held up.
  package func playCue(_ sound: CueSound, gain: Gain) {
    guard !isOverloaded else { return }
    decks.sender.send(.playCue(sound, gain: gain))
    // Not at once: the commands of one event go together.
    settleSoon()
  }

  /// The fade of tracks that follow each other, and of skips: zero is none.
  package func setCrossfade(_ length: Seconds) {
    machine.settings.automaticFadeLength = length
    machine.settings.manualFadeLength = length
    machine.settings.fadesManually = length > .zero
    flight?.note(machine.settings)
    settle()
    observer?.playerDidChange(self)
  }

  /// The shape of fades that begin from now on.
  package func setCurve(_ curve: FadeCurve) {
    machine.settings.curve = curve
    flight?.note(machine.settings)
    settle()
    observer?.playerDidChange(self)
  }

  /// Everything the machine decides by, from now on.
  package func adopt(_ settings: PlayerSettings) {
    guard settings != machine.settings else { return }
    machine.settings = settings
    flight?.note(settings)
    settle()
  }

  /// The percentage from which on a paused fade finishes quickly when it is resumed; 101 is never.
  package func setQuickFinishThreshold(_ percent: Int) {
    machine.settings.quickFinishThreshold = percent
    flight?.note(machine.settings)
  }

  /// Takes up a state from before a restart, or from another output, as `PlayerStateMachine.restore` explains. The queue
  /// has been restored before. `saved` gives the positions when the checkpoint was written.
  package func restore(_ state: PlayerState, saved: Moment, isRestart: Bool = true) {
    machine = PlayerStateMachine.restore(
      state, saved: saved, settings: machine.settings, isStrict: machine.isStrict, isRestart: isRestart)
    // A skip that was not heard yet had moved the queue already.
    if queue.current != nil, let track = machine.state.heardTrack { select(track) }
    observer?.playerDidChange(self)
    settle()
  }

  // MARK: The machine

  /// Steps that follow from one another at once; what is left after them waits for the loop's next turn, so that
  /// nothing keeps the control thread to itself.
  private static let stepLimit = 12

  /// Lets the decks follow the state, and the state what can be seen of the decks, until both agree.
  func settle() {
    guard !isSettling else { return }
    isSettling = true
    var steps = 0
    var mayGoOn = true
    while mayGoOn {
      if decks.sender.isOverloaded || steps == Self.stepLimit {
        settleSoon(after: decks.sender.isOverloaded ? Self.overloadWait : 0)
        break
      }
      mayGoOn = step()
      steps += 1
    }
    isSettling = false
    decks.sender.flush()
    planSuccession()
  }

  /// One round. Whether there may be more to do.
  private func step() -> Bool {
    learnOutcomes()
    followState()
    if let answer = queueAnswer {
      queueAnswer = nil
      process(answer, at: moment())
      return true
    }
    guard let event = observation() else { return false }
    process(event, at: moment())
    if event == .didPrepare || event == .didSeek { settleLanding() }
    return true
  }

  /// A decoder goes no further than its track, whatever length was told of it: the state tells where it is.
  private func settleLanding() {
    guard let place = decks.noteLanding(), place != machine.state.silentPosition,
      machine.settle(current: place)
    else { return }
    observer?.playerDidChange(self)
    observer?.playerWantsCheckpoint(self)
  }

  private func followState() {
    if machine.state.kind != .failed { retryTimer.stop() }
    let plan = DeckPlan(
      machine.state, succession: wantedSuccession, isFadeRunning: decks.facts.fade != nil,
      settings: machine.settings)
    for order in decks.facts.orders(toReach: plan, machine.settings) { decks.carryOut(order) }
  }

  /// How long an audio thread that is held up is given before anything more is ordered of it, in nanoseconds.
  private static let overloadWait: UInt64 = 20_000_000

  /// Settles once whoever changes something is done with it.
  func settleSoon(after nanoseconds: UInt64 = 0) {
    guard !settleTimer.isRunning else { return }
    settleTimer.start(after: nanoseconds) { [unowned(unsafe) self] in settle() }
  }

  @discardableResult
  func process(_ event: PlayerEvent, at moment: Moment) -> Verdict {
    let before = machine.state
    let outcome = machine.handle(event, at: moment)
    record(event, from: before, outcome.verdict, at: moment)
    for effect in outcome.effects { carryOut(effect) }
    followTracks(from: before, event, at: moment)
    if outcome.verdict == .changed { observer?.playerDidChange(self) }
    return outcome.verdict
  }
}

extension PlayerState {
  /// Where a single track waits in silence; nil in all other states.
  fileprivate var silentPosition: Frames? {
    switch self {
    case .ready(_, let position), .paused(_, let position, _): position
    default: nil
    }
  }
}
