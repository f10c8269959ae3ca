// The control side of playing: feeds events to the state machine and carries out its orders with decoders
// and the mixer. Control thread only; never waits.

import PlaybackModel
import Platform
import RealtimeAudio

/// Told of what a person may want to know. Class-bound, for Embedded Swift.
public protocol PlayerObserver: AnyObject {
  /// State, track or queue have changed.
  func playerDidChange(_ player: Player)
  /// Something went wrong; playing may well go on.
  func player(_ player: Player, reports error: PlaybackError)
  /// Something about the output is worth a line.
  func player(_ player: Player, notes text: String)
}

/// Plays a queue through two decks.
public final class Player {
  /// The state machine.
  public internal(set) var machine: PlayerStateMachine
  /// What is played. What a change of it means for the track that comes next is seen to soon after.
  public var queue: PlayQueue { didSet { planSoon() } }
  /// How loud, as the knob says.
  public private(set) var volume = Volume(100)
  /// How tags' loudness is used; from the next track on.
  public var loudnessMode = Loudness.Mode.off
  /// Errors of tracks so far.
  public private(set) var failedTracks = 0
  /// Told of changes.
  public var observer: (any PlayerObserver)?

  let events: EventLoop
  let link: AudioLink
  let decoders: any DecoderSource
  let rate: SampleRate
  /// Frames that are told of are told at once, because nothing rendered is ever taken back.
  let isUnpaced: Bool
  var slots: [DeckSlot?] = [nil, nil]
  /// Decoders whose ring the mixer still holds.
  var leaving: [(any TrackDecoder)?] = [nil, nil]
  /// The deck of the state's current track.
  var currentDeck = Deck.a
  var aheadTimer: EventLoop.Token?
  /// The fade that was ordered last.
  var orderedFade = Fade(length: .zero, curve: .equalPower)
  /// The ring index of the current deck at which an armed fade begins.
  var armedAt: UInt64?
  /// The join that the mixer was told of last.
  var joined: JoinKey?
  /// The next track that could not even be opened.
  var lastOffered: UInt64?
  /// Called when rendering stands at the limit that was set, before anything beyond it is rendered.
  public var onLimit: ((Frames) -> Void)?
  /// The timeline frame of the report that is being handled.
  var handledFrame: Frames?
  var inbox: [PlayerEvent] = []
  private var isDraining = false
  private var nextCommandID: UInt32 = 1
  private var retryTimer: EventLoop.Token?
  private var watchTimer: EventLoop.Token?
  private var planTimer: EventLoop.Token?
  private var refillTimer: EventLoop.Token?

  /// A player in `idle`, with an empty queue.
  public init(
    events: EventLoop, link: AudioLink, decoders: any DecoderSource, rate: SampleRate, isUnpaced: Bool,
    isStrict: Bool
  ) {
    self.events = events
    self.link = link
    self.decoders = decoders
    self.rate = rate
    self.isUnpaced = isUnpaced
    queue = PlayQueue(seed: MonotonicClock.now())
    machine = PlayerStateMachine(settings: PlayerSettings(rate: rate), isStrict: isStrict)
  }

  // MARK: A person's wishes

  /// Starts the queue from its current or first track.
  public func start(at position: Seconds = .zero) {
    guard let track = queue.current ?? queue.advance() else { return }
    handle(.play)
    handle(.load(track, at: rate.frames(position)))
  }

  /// Gives one event to the machine, with all that follows from it.
  @discardableResult
  public func handle(_ event: PlayerEvent) -> Verdict {
    takeReports()
    handleInbox()
    let verdict = process(event, at: moment())
    drain()
    return verdict
  }

  /// On to the queue's next track; past the end stops.
  public func next() {
    takeReports()
    follow(queue.next())
  }

  /// Back to the previous track, or to the beginning of this one.
  public func previous() {
    takeReports()
    follow(queue.previous(at: rate.seconds(position)))
  }

  private func follow(_ move: QueueMove) {
    switch move {
    case .skip(let track): handle(.skip(to: track))
    case .restart: handle(.seek(.zero))
    case .stop: handle(.skip(to: nil))
    }
  }

  /// Sets the knob; the gain follows within 20 ms, or at once where nothing is heard yet.
  public func setVolume(_ volume: Volume, isImmediate: Bool = false) {
    self.volume = volume
    send(.setVolume(volume.gain, ramp: isImmediate ? .zero : rate.frames(Seconds(0.02))))
    link.flush()
    observer?.playerDidChange(self)
  }

  /// The same sum on both channels, or the channels as they are.
  public func setMono(_ isMono: Bool) {
    send(.setMono(isMono))
    link.flush()
  }

  /// Ends all decoders. The audio thread has ended before.
  public func end() {
    for deck in Deck.allCases { self[deck]?.decoder.terminate() }
    slots = [nil, nil]
    leaving = [nil, nil]
    cancelRetry()
    for timer in [aheadTimer, watchTimer, planTimer, refillTimer] {
      if let timer { events.remove(timer) }
    }
  }

  /// The fade of tracks that follow each other, and of skips: zero is none.
  public func setCrossfade(_ length: Seconds) {
    machine.settings.automaticFadeLength = length
    machine.settings.manualFadeLength = length
    machine.settings.fadesManually = length > .zero
    drain()
    observer?.playerDidChange(self)
  }

  /// The shape of fades that begin from now on.
  public func setCurve(_ curve: FadeCurve) {
    machine.settings.curve = curve
    observer?.playerDidChange(self)
  }

  /// The percentage from which on a paused fade finishes quickly when it is resumed; 101 is never.
  public func setQuickFinishThreshold(_ percent: Int) { machine.settings.quickFinishThreshold = percent }

  // MARK: What is heard

  /// The position of the current track.
  public var position: Frames { moment().current }

  /// Lets the state show how far a running fade has come; for whoever looks at it.
  public func refresh() {
    if let progress = moment().fade { machine.observe(progress: progress) }
  }

  /// The frame of the timeline that is being heard, or of the event that is being handled.
  public var timelineFrame: Frames { handledFrame ?? link.reading().positions.frame }

  /// How far a running fade has come.
  public var fadeProgress: FadeProgress? { moment().fade }

  /// Whether all work that decides about the next frames is done: a recording may be rendered on.
  public var isSettled: Bool {
    for slot in slots {
      if let slot, slot.awaitsDecoder { return false }
    }
    return inbox.isEmpty
  }

  /// Where everything stands, by the audio thread's last word and the clock.
  func moment() -> Moment {
    let reading = link.reading()
    var positions = reading.positions
    let now = MonotonicClock.now()
    if reading.isRunning, !isUnpaced, isMoving, now > reading.time {
      // Between two turns of the audio thread the sound moves on all the same.
      let passed = rate.frames(Seconds(Double(now - reading.time) / 1e9))
      positions.a &+= UInt64(bitPattern: passed.count)
      positions.b &+= UInt64(bitPattern: passed.count)
      if let fade = positions.fade {
        positions.fade = FadeProgress(index: fade.index + passed, length: fade.length)
      }
    }
    return moment(at: positions, time: now)
  }

  private var isMoving: Bool {
    switch machine.state {
    case .playing, .preparingCrossfade, .crossfading, .fadingOut: true
    default: false
    }
  }

  /// Where everything stood at positions that the mixer reported.
  func moment(at positions: MixerPositions, time: UInt64) -> Moment {
    Moment(
      time: time, current: position(of: currentDeck, at: positions) ?? .zero,
      next: position(of: currentDeck.other, at: positions), fade: positions.fade, deck: currentDeck)
  }

  private func position(of deck: Deck, at positions: MixerPositions) -> Frames? {
    guard var slot = self[deck] else { return nil }
    switch slot.stage {
    case .opening, .waitingForDeck: return slot.originPosition
    case .stoppingForSeek(let target), .seeking(let target): return target
    case .cued, .started: break
    }
    var position = max(slot.shown, slot.position(of: positions.index(deck)))
    if let length = slot.length { position = min(position, length) }
    slot.shown = position
    self[deck] = slot
    return position
  }

  subscript(deck: Deck) -> DeckSlot? {
    get { slots[Int(deck.rawValue)] }
    set { slots[Int(deck.rawValue)] = newValue }
  }

  // MARK: The machine

  /// Puts an event that something of the player's own caused in line.
  func post(_ event: PlayerEvent) { inbox.append(event) }

  /// Handles what is in line, then lets the audio thread see the commands that came of it.
  func drain() {
    guard !isDraining else { return }
    repeat {
      handleInbox()
      planAhead()
    } while !inbox.isEmpty
    link.flush()
    watchDecoders()
  }

  /// Handles what is in line. Called after every single report, so that none of these events is overtaken by
  /// one that makes it void.
  func handleInbox() {
    guard !isDraining else { return }
    isDraining = true
    while !inbox.isEmpty { process(inbox.removeFirst(), at: moment()) }
    isDraining = false
  }

  @discardableResult
  func process(_ event: PlayerEvent, at moment: Moment) -> Verdict {
    let before = machine.state
    let outcome = machine.handle(event, at: moment)
    for effect in outcome.effects { carryOut(effect) }
    followIntent(from: before)
    if outcome.verdict == .changed { observer?.playerDidChange(self) }
    return outcome.verdict
  }

  /// A deck that has run dry sounds by itself as soon as it is filled again, so the gate has to keep the
  /// intent meanwhile.
  private func followIntent(from before: PlayerState) {
    guard case .buffering(_, let intent) = machine.state, case .buffering(_, let old) = before,
      intent.isPlay != old.isPlay
    else { return }
    send(intent.isPlay ? .openGate(ramp: .zero) : .closeGate(.pause, ramp: .zero))
    if !intent.isPlay { lookForRefill() }
  }

  /// A silent mixer does not notice that a ring fills; for as long as a decoder may take, somebody has to look.
  private func lookForRefill() {
    if let refillTimer { events.remove(refillTimer) }
    refillTimer = events.after(100_000_000) { [self] in
      refillTimer = nil
      guard case .buffering(_, .pause) = machine.state, let slot = self[currentDeck] else { return }
      let index = link.reading().positions.index(currentDeck)
      if slot.decoder.ring.holds(Int(rate.frames(Seconds(0.25)).count), from: index) {
        post(.didRefill)
        drain()
      } else {
        lookForRefill()
      }
    }
  }

  /// Looks at the next track again once whoever changes the queue is done.
  private func planSoon() {
    guard planTimer == nil else { return }
    planTimer = events.after(0) { [self] in
      planTimer = nil
      drain()
    }
  }

  func send(_ command: MixerCommand) {
    let request = CommandRequest(id: nextCommandID, pin: .now, command: command)
    nextCommandID &+= 1
    let isSent = link.send(request)
    precondition(isSent, "the audio thread takes commands faster than a person gives them")
  }

  func report(_ error: PlaybackError) { observer?.player(self, reports: error) }

  func countFailure() { failedTracks += 1 }

  func scheduleRetry(after time: Seconds) {
    cancelRetry()
    retryTimer = events.after(UInt64(max(0, time.value) * 1e9)) { [self] in
      retryTimer = nil
      handle(.retry)
    }
  }

  func cancelRetry() {
    if let retryTimer { events.remove(retryTimer) }
    retryTimer = nil
  }

  /// Looks for decoders whose answer is overdue, as often as that can matter and no more often.
  func watchDecoders() {
    if let watchTimer { events.remove(watchTimer) }
    watchTimer = nil
    var next: UInt64?
    let now = MonotonicClock.now()
    for deck in Deck.allCases {
      guard let wait = self[deck]?.decoder.checkProgress(now: now) else { continue }
      next = min(next ?? wait, wait)
    }
    guard let next else { return }
    watchTimer = events.after(next) { [self] in
      watchTimer = nil
      for deck in Deck.allCases { takeDecoderEvents(deck) }
      drain()
    }
  }
}
