// Judges a run: what is heard, what the machine says of itself, and what was asked for have to agree. One thread.

import PlaybackModel

/// Hears everything, sees everything that people see, and finds the first thing that is wrong.
final class Oracle: CardListener, DecoderListener {
  let world: World
  let scheduler: SimulatedScheduler
  /// Set once they exist.
  var decoders: SimulatedDecoders?
  var card: SimulatedCard?
  var tracker: VoiceTracker
  /// Takes the equaliser out of what is heard; nil where there is none.
  var equalizer: EqualizerEar?
  /// Hears live sources; nil where there are none, or an equaliser, whose rounding would hide them.
  var liveInputs: LiveInputListener?
  /// What receivers of live sources have written, by their numbers.
  var receivers: () -> [(id: Int, end: UInt64)] = { [] }
  var intent = Intent()
  var claims: Claims?
  /// The number of the last track that is known to have been left.
  var judgedLeft = 0
  /// Where files ended before the length that they were said to have, by track.
  var truncations: [Int: Set<Int>] = [:]
  var violation: Violation?
  /// Rules that do not count in this run, because what breaks them is known.
  var ignored: Set<Violation.Rule> = [] {
    didSet { tracker.ignored = ignored }
  }
  /// When the card last gave a frame to hear.
  var lastFrame: UInt64 = 0
  /// The state as it was looked at last, and since when its kind and tracks are the same.
  var stateSince: UInt64 = 0
  var stateKey: StateKey?
  /// Where a decoder is waited for, and since when.
  var awaited: (place: Frames?, since: UInt64) = (nil, 0)
  /// Since when each thing is not as it should be, by rule.
  private var wrongSince = WrongSince(Violation.Rule.allCases.count)
  /// Since when each track is heard although it was removed from the queue.
  var removedSince: WrongSince
  /// The longest fade, in nanoseconds, in which one of them may be heard.
  var removedFade: UInt64 = 0
  /// What the queue would have gone on with, newest last.
  var followers: [(time: UInt64, current: Int?, following: Int?)] = []
  var lastEdge: UInt64 = 0
  /// A track's end that nothing has followed so far.
  var lastEnd: Edge?
  /// A decoder that went elsewhere than where a person sought, unless that was what came to be asked for at that moment.
  var earlyTarget: EarlyTarget?
  /// The decoder that last went anywhere but to a track's beginning of its own accord: where somebody sought.
  private var sought: Int?
  /// The track that a person's last move in the queue led to, until it is heard; and whether there was a move that has not
  /// been looked at since.
  var choice: (track: Int?, isDue: Bool) = (nil, false)
  /// For tests of the oracle itself: makes something else of a frame that was heard, by its number.
  var spoiler: ((_ number: Int, _ left: Float, _ right: Float) -> [(Float, Float)])?
  var heardFrames = 0
  var lastActionAt: UInt64 = 0
  /// The same of what is no fault that comes or goes.
  var lastAskedAt: UInt64 = 0
  var isCardLost = false
  /// What people have set for fades.
  var settings = FadeSettings()
  /// Until when the simulation holds up the control thread, or did.
  var controlStalledUntil: UInt64 = 0
  /// Until when the simulation holds up the audio thread, or did.
  var audioStalledUntil: UInt64 = 0
  /// Whether a sound of the box's own may be heard soon.
  var expectsCue: () -> Bool = { false }
  /// Until when music may begin that somebody asked for who has left.
  var abandonedPlayUntil: UInt64 = 0
  /// How many of each the subject may have.
  var bounds = Bounds()
  /// Frames of sound since the last power-on, and when something last broke.
  var faultAt: UInt64 = 0
  /// When decoders last died, hung or came to the end of truncated files.
  var diedAt: UInt64 = 0

  struct Bounds {
    var timers = 24
    var descriptors = 8
    var decoders = 2
    var rings = 4
  }

  struct StateKey: Equatable {
    var kind: PlayerState.Kind
    var current: UInt64?
    var next: UInt64?
  }

  init(_ world: World, scheduler: SimulatedScheduler) {
    self.world = world
    self.scheduler = scheduler
    removedSince = WrongSince(world.tracks.count)
    tracker = VoiceTracker(rate: world.rate, lengths: world.tracks.map { $0.length })
    tracker.isShort = { _, _ in false }
    tracker.circumstances.hasCues = world.box.map { $0.playsCues || world.announces } ?? false
    equalizer = EqualizerEar(world.box?.configuration ?? [], rate: world.rate)
    if world.box?.hasSources == true, equalizer == nil { liveInputs = LiveInputListener(rate: world.rate) }
    tracker.isUntold = { !world.tracks[$0].tellsLength }
    switch world.card.mode {
    case .stepping(let step), .batch(let step): tracker.circumstances.step = step
    case .deep, .long, .shallow: break
    }
    switch world.card.mode {
    case .deep, .long: break
    case .stepping(let step):
      tracker.circumstances.reaction += UInt64(step) * 3_000_000_000 / UInt64(world.rate)
    case .shallow, .batch: tracker.circumstances.reaction = 180_000_000
    }
  }

  var now: UInt64 { scheduler.now }

  func fail(_ rule: Violation.Rule, expected: String, found: String) {
    fail(Violation(rule, at: now, expected: expected, found: found))
  }

  func fail(_ new: Violation) {
    guard violation == nil, !ignored.contains(new.rule) else { return }
    violation = new
  }

  /// Fails when something has been wrong without a break for longer than a bound.
  func watch(
    _ rule: Violation.Rule, isWrong: Bool, for bound: UInt64, expected: @autoclosure () -> String,
    found: @autoclosure () -> String
  ) {
    let place = Violation.Rule.allCases.firstIndex(of: rule) ?? 0
    guard let since = wrongSince.note(place, isWrong, at: now) else { return }
    if now - since > bound { fail(rule, expected: expected(), found: found()) }
  }

  // MARK: The card

  func cardStopped(since: UInt64, unknown: Int) {
    equalizer?.forget()
    liveInputs?.forget()
    tracker.forgetGains()
    // Stopped again before anything was heard, it has as much more that nobody knows.
    let former = tracker.circumstances.isEntryDue ? tracker.circumstances.jump : 0
    tracker.circumstances.jump = former + unknown
    tracker.circumstances.jumpsUntil = now + ExcuseWindow.missingFrames.bound
    tracker.circumstances.faultUntil = now + ExcuseWindow.cardRamp.bound
    tracker.circumstances.isEntryDue = true
    disturb()
    faultAt = now
    if !tracker.ear.isIdle || expectsCue() { mayBeStrange() }
  }

  /// A sound of the box's own may be heard as nobody knows it: three of the longest, one after the other, or for some time more.
  /// `isForgotten`: the one that is heard already, too.
  func mayBeStrange(for time: UInt64 = ExcuseWindow.interruptedCue.bound, isForgotten: Bool = true) {
    let until = now + time
    tracker.learn { tracker in
      if isForgotten { tracker.forgetCues() }
      tracker.circumstances.strangeCuesUntil = max(tracker.circumstances.strangeCuesUntil, until)
    }
  }

  func disturb() {
    // A thread that stands still does what was asked for afterwards.
    let now = max(now, audioStalledUntil)
    tracker.learn { $0.circumstances.disturbedAt = now }
  }

  // MARK: Decoders

  func opened(_ decoder: Int, track: Int, at frame: Int, end: Int, isSane: Bool) {
    var voice = Voice(id: decoder, track: track, next: frame, end: end, origin: frame, isSane: isSane)
    if case .lies(let excess) = world.tracks[track].fault, world.tracks[track].tellsLength {
      voice.lie = excess
    }
    tracker.learn { $0.add(voice) }
    // The next track, opened anew beside a seek at its beginning or its bookmark, is not the one that was sought in.
    let isBeside = intent.seek.map { $0.track != track && !$0.frames.contains(frame) } ?? false
    if frame > 0, !(isBeside && track == claims?.following) {
      sought = decoder
      checkTarget(track, frame)
    }
  }

  func moved(_ decoder: Int, to frame: Int) {
    tracker.learn { $0.move(decoder, to: frame) }
    sought = decoder
    if let place = tracker.place(of: decoder) { checkTarget(tracker.voices[place].track, frame) }
    disturb()
  }

  func ends(_ decoder: Int, at frame: Int) {
    tracker.learn { $0.end(decoder, at: frame) }
  }

  func isTruncated(_ decoder: Int, at frame: Int, isOwn: Bool) {
    tracker.learn { $0.end(decoder, at: frame, isOwn: isOwn) }
    if let place = tracker.place(of: decoder) {
      truncations[tracker.voices[place].track, default: []].insert(frame)
    }
  }

  func finished(_ decoder: Int) {
    let now = now
    tracker.learn { $0.finish(decoder, at: now) }
  }

  func left(_ decoder: Int) { tracker.learn { $0.leave(decoder) } }

  func closed(_ decoder: Int) {
    let now = now
    tracker.learn { $0.close(decoder, at: now) }
  }

  func impossible(_ what: String) { fail(.resources, expected: "order", found: what) }

  // MARK: What happens

  /// Frames since a card fell silent by itself that may be taken for heard: a loop that has filled a deep buffer sleeps
  /// for most of it, and nobody can ask that card any more.
  private var unnoticedSilence: Int {
    guard let since = card?.silentSince, now > since else { return 0 }
    return Int(min(now - since, world.card.buffer) * UInt64(world.rate) / 1_000_000_000)
  }

  /// An action is about to be carried out. `claims` may be what was said when a line was taken whose answer took a while:
  /// only `isFresh` ones say anything of the present.
  func willPerform(_ action: Action, _ claims: Claims, isFresh: Bool = true) {
    if isFresh { look(claims) }
    let (tracker, skip, sought, now, held) = (tracker, intent.skip, sought, now, intent.holdsFrom)
    intent.note(
      action, in: claims, rate: world.rate,
      heard: { number in
        let skippedAt = skip.flatMap {
          $0.track == number && $0.isAnew && now < $0.at + 1_000_000_000 ? $0.at : nil
        }
        return tracker.personsVoice(of: number, claims.state, skippedAt: skippedAt, sought: sought)?.next
      }, silent: unnoticedSilence, isOver: hasJustEnded, at: now)
    // A thread that stands still begins later with the ramp.
    if intent.holdsFrom != held { intent.holdLater(by: max(now, audioStalledUntil) - now) }
    judgeEarlyTarget()
    choice.isDue = action == .next || action == .previous
    // It leads on from what is remembered, once that is known, and plays.
    if choice.isDue, claims.beside.isRemembering { mayPlay(until: now + Self.storageWait) }
    // A decoder that dies is restarted, which is not to be heard: no gap and no position is excused by it.
    if action.isDeath { diedAt = now } else { lastActionAt = now }
    // Of a fade's incoming track it may be the second death, upon which the outgoing one gets its level back.
    disturb()
    if !action.isFault { lastAskedAt = now }
    self.tracker.learn { $0.ordersInSilence += 1 }
    switch action {
    case .volume(let percent):
      guard claims.gain == nil else { break }
      let part = Double(min(max(percent, 0), 100)) / 100
      volumeChanged(to: part * part * part)
    case .finishFade, .play, .toggle, .wake, .release:
      let end = now + ExcuseWindow.quickFinish.bound
      self.tracker.learn { $0.circumstances.quickFinishUntil = end }
    case .crossfade(let length): settings.length = length
    case .curve(let curve): settings.curve = curve
    case .controlStall(let length):
      controlStalledUntil = max(controlStalledUntil, now + UInt64(length) * 1_000_000)
    case .audioStall(let length):
      audioStalledUntil = max(audioStalledUntil, now + UInt64(length) * 1_000_000)
      disturb()
    case .cardDeaf:
      let reaction = world.card.buffer + 200_000_000
      self.tracker.learn { $0.circumstances.reaction = reaction }
    default: break
    }
    if action.isFault, !action.isDeath { faultAt = now }
  }

  func volumeChanged(to gain: Double) {
    let now = now
    tracker.learn { $0.circumstances.changeVolume(to: gain, at: now) }
    disturb()
  }

  /// Whether the card has just given something to hear.
  var isRecentlyHeard: Bool { now < lastFrame + 40_000_000 }

  /// The plug was pulled, and is in again.
  func rebooted() {
    equalizer?.forget()
    liveInputs?.forget()
    intent.restart()
    (earlyTarget, choice) = (nil, (nil, false))
    tracker.forgetAll()
    tracker.circumstances.heldFade = nil
    tracker.circumstances.fades = []
    tracker.forgetCues()
    stateKey = nil
    wrongSince = WrongSince(Violation.Rule.allCases.count)
    removedSince = WrongSince(world.tracks.count)
    faultAt = now
    disturb()
  }
}
