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
  /// What was just done is worth remembering over a power cut.
  func playerWantsCheckpoint(_ player: Player)
  /// The box's own short sound for this error is due.
  func player(_ player: Player, wantsCueFor error: PlaybackError)
  /// This track is being listened to from now on.
  func player(_ player: Player, began track: Track)
  /// This track is not listened to any more. `isOver`: it was heard to its end.
  func player(_ player: Player, left track: Track, at position: Frames, isOver: Bool)
}

extension PlayerObserver {
  public func playerWantsCheckpoint(_ player: Player) {}
  public func player(_ player: Player, wantsCueFor error: PlaybackError) {}
  public func player(_ player: Player, began track: Track) {}
  public func player(_ player: Player, left track: Track, at position: Frames, isOver: Bool) {}
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
  public var levelling = Levelling()
  /// Whether somebody sends `retry` when removed storage is back: then it is not tried before.
  public var isToldOfStorage = false
  /// Whether tracks of one album fade into each other, too, instead of being joined.
  public var fadesAlbums = false
  /// Where a track begins when nobody asks for a position; nil is its beginning.
  public var startPosition: (Track) -> Frames? = { _ in nil }
  /// How quickly commands are heard.
  public internal(set) var latency = CommandLatency()
  /// Errors of tracks so far.
  public private(set) var failedTracks = 0
  /// How often a track that failed was tried again by itself.
  public internal(set) var trackRetries = 0
  /// When the track that failed is tried again, on the monotonic clock; nil where that is not planned.
  public internal(set) var retryDue: UInt64?
  /// Told of changes.
  public var observer: (any PlayerObserver)?

  let events: any Scheduler
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
  var aheadTimer: ScheduleToken?
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
  /// Commands that found the audio thread's queue full, in order.
  private var unsent: [CommandRequest] = []
  private var unsentTimer: ScheduleToken?
  /// A fade from before a restart whose decks are not both cued yet, and what is to follow when they are.
  var restoringFade: RestoringFade?
  var retryTimer: ScheduleToken?
  var watchTimer: ScheduleToken?
  var planTimer: ScheduleToken?
  var refillTimer: ScheduleToken?

  /// A player in `idle`, with an empty queue.
  public init(
    events: any Scheduler, link: AudioLink, decoders: any DecoderSource, rate: SampleRate, isUnpaced: Bool,
    isStrict: Bool
  ) {
    self.events = events
    self.link = link
    self.decoders = decoders
    self.rate = rate
    self.isUnpaced = isUnpaced
    queue = PlayQueue(seed: events.now)
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

  /// Sets the knob; the gain follows within 20 ms, or at once where nothing is heard.
  public func setVolume(_ volume: Volume) {
    self.volume = volume
    send(.setVolume(volume.gain, ramp: rate.frames(Seconds(0.02))))
    flush()
    observer?.playerDidChange(self)
  }

  /// The same sum on both channels, or the channels as they are.
  public func setMono(_ isMono: Bool) {
    send(.setMono(isMono))
    flush()
  }

  /// Ends all decoders. The audio thread has ended before.
  public func end() {
    for deck in Deck.allCases { retire(deck, sendsRelease: false) }
    leaving = [nil, nil]
    cancelRetry()
    for timer in [aheadTimer, watchTimer, planTimer, refillTimer, unsentTimer] {
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

  /// Everything the machine decides by, from now on.
  public func adopt(_ settings: PlayerSettings) {
    guard settings != machine.settings else { return }
    machine.settings = settings
    drain()
  }

  /// The percentage from which on a paused fade finishes quickly when it is resumed; 101 is never.
  public func setQuickFinishThreshold(_ percent: Int) { machine.settings.quickFinishThreshold = percent }

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
    flush()
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
    followTracks(from: before, event, at: moment)
    if outcome.verdict == .changed { observer?.playerDidChange(self) }
    return outcome.verdict
  }

  func send(_ command: MixerCommand) {
    let request = CommandRequest(id: nextCommandID, pin: .now, command: command)
    nextCommandID &+= 1
    latency.sent(request.id, at: events.now)
    guard !unsent.isEmpty || !link.send(request) else { return }
    precondition(unsent.count < Self.unsentLimit, "whoever gives commands looks at isOverloaded")
    unsent.append(request)
  }

  static let unsentLimit = 4096

  /// Whether the audio thread is so far behind that further wishes should wait; it is held up by its device.
  public var isOverloaded: Bool { unsent.count >= Self.unsentLimit / 4 }

  /// Lets the audio thread see the commands that were sent.
  func flush() {
    while let first = unsent.first, link.send(first) { unsent.removeFirst() }
    link.flush()
    guard !unsent.isEmpty, unsentTimer == nil else { return }
    unsentTimer = events.after(10_000_000) { [self] in
      unsentTimer = nil
      flush()
    }
  }

  func report(_ error: PlaybackError) { observer?.player(self, reports: error) }

  func countFailure() { failedTracks += 1 }
}
