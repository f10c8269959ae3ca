// The oracle: checks that sound, reported state and requested actions agree throughout a simulation run. One thread.

import PlaybackModel

/// Receives the card's output, the decoders' activity and the subject's claims, and reports the first violation.
/// Extensions contain the individual checks.
final class Oracle: CardListener, DecoderListener {
  let world: World
  let scheduler: SimulatedScheduler
  /// Set once they exist.
  var decoders: SimulatedDecoders?
  var card: SimulatedCard?
  var tracker: VoiceTracker
  /// Inverse of the configured equalizer; nil without one.
  var equalizer: EqualizerEar?
  /// Listener for live inputs; nil without live sources, or with an equalizer, whose rounding errors would hide them.
  var liveInputs: LiveInputListener?
  /// Returns the index up to which each receiver has written.
  var receivers: () -> [(id: Int, end: UInt64)] = { [] }
  var intent = Intent()
  var claims: Claims?
  /// Number of the last `LeftTrack` already checked.
  var judgedLeft = 0
  /// Frames at which files ended short of their stated length, by track.
  var truncations: [Int: Set<Int>] = [:]
  var violation: Violation?
  /// Rules not checked in this run, for known bugs.
  var ignored: Set<Violation.Rule> = [] {
    didSet { tracker.ignored = ignored }
  }
  /// End of the last frames that the card played, in nanoseconds.
  var lastFrame: UInt64 = 0
  /// Last state seen, and since when its kind and tracks are unchanged.
  var stateSince: UInt64 = 0
  var stateKey: StateKey?
  /// Position at which a decoder is awaited, and since when.
  var awaited: (place: Frames?, since: UInt64) = (nil, 0)
  /// Since when each rule has been violated.
  private var wrongSince = WrongSince(Violation.Rule.allCases.count)
  /// Since when each removed track is still heard.
  var removedSince: WrongSince
  /// Longest fade in which a removed track may be heard, in nanoseconds.
  var removedFade: UInt64 = 0
  /// Tracks that the queue would have played next over time, newest last.
  var followers: [(time: UInt64, current: Int?, following: Int?)] = []
  var lastEdge: UInt64 = 0
  /// End of a track that no other track has followed so far.
  var lastEnd: Edge?
  /// Decoder position that contradicts the pending seek, unless a report at this moment explains it.
  var earlyTarget: EarlyTarget?
  /// Decoder that last moved to a position other than a track's start: the target of a seek.
  private var sought: Int?
  /// Track that the user's last skip led to, until it is heard; and whether a skip has not been evaluated yet.
  var choice: (track: Int?, isDue: Bool) = (nil, false)
  /// Replaces output frames, for tests of the oracle itself.
  var spoiler: ((_ number: Int, _ left: Float, _ right: Float) -> [(Float, Float)])?
  var heardFrames = 0
  var lastActionAt: UInt64 = 0
  /// Time of the last action that is not a fault.
  var lastAskedAt: UInt64 = 0
  var isCardLost = false
  /// Fade settings that users have made.
  var settings = FadeSettings()
  /// Until when the simulation stalls or stalled the control thread.
  var controlStalledUntil: UInt64 = 0
  /// Until when the simulation stalls or stalled the audio thread.
  var audioStalledUntil: UInt64 = 0
  /// Whether a cue may begin soon.
  var expectsCue: () -> Bool = { false }
  /// Until when music may begin for a client that has disconnected.
  var abandonedPlayUntil: UInt64 = 0
  /// Limits on the subject's resources.
  var bounds = Bounds()
  /// When something last broke or was repaired, in nanoseconds.
  var faultAt: UInt64 = 0
  /// When decoders last died, hung or reached the end of a truncated file.
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

  /// Reports a violation if a condition has been wrong without interruption for longer than a bound.
  /// - Parameters:
  ///   - rule: Rule to report.
  ///   - isWrong: Whether the condition is wrong now.
  ///   - bound: Tolerated duration in nanoseconds.
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
    // If the card stops again before anything was heard, the uncertainty adds up.
    let former = tracker.circumstances.isEntryDue ? tracker.circumstances.jump : 0
    tracker.circumstances.jump = former + unknown
    tracker.circumstances.jumpsUntil = now + ExcuseWindow.missingFrames.bound
    tracker.circumstances.faultUntil = now + ExcuseWindow.cardRamp.bound
    tracker.circumstances.isEntryDue = true
    disturb()
    faultAt = now
    if !tracker.ear.isIdle || expectsCue() { mayBeStrange() }
  }

  /// Allows unrecognizable cues for a while: built-in ones, or ones cut off by a card failure.
  /// - Parameters:
  ///   - time: Nanoseconds from now; the default is three of the longest cues in a row.
  ///   - isForgotten: Whether the cue that sounds now becomes unrecognizable, too.
  func mayBeStrange(for time: UInt64 = ExcuseWindow.interruptedCue.bound, isForgotten: Bool = true) {
    let until = now + time
    tracker.learn { tracker in
      if isForgotten { tracker.forgetCues() }
      tracker.circumstances.strangeCuesUntil = max(tracker.circumstances.strangeCuesUntil, until)
    }
  }

  func disturb() {
    // A stalled audio thread carries out commands when it continues.
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
    // A track opened next to a seek, at its start or bookmark, is not the sought one.
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

  // MARK: Events

  /// Frames since the card stopped unnoticed that the player may take for heard. A loop that filled a deep buffer
  /// sleeps for most of it, and the failed card cannot be asked.
  private var unnoticedSilence: Int {
    guard let since = card?.silentSince, now > since else { return 0 }
    return Int(min(now - since, world.card.buffer) * UInt64(world.rate) / 1_000_000_000)
  }

  /// Prepares for an action that is about to be carried out.
  /// - Parameters:
  ///   - action: The action.
  ///   - claims: State when the subject received it.
  ///   - isFresh: Whether `claims` describe the present; false if the line was taken some time ago.
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
    // A stalled audio thread begins the ramp later.
    if intent.holdsFrom != held { intent.holdLater(by: max(now, audioStalledUntil) - now) }
    judgeEarlyTarget()
    choice.isDue = action == .next || action == .previous
    // Once the saved state is loaded, the skip starts from there and plays.
    if choice.isDue, claims.beside.isRemembering { mayPlay(until: now + Self.storageWait) }
    // The restart of a dead decoder must be inaudible, so it excuses neither gaps nor positions.
    if action.isDeath { diedAt = now } else { lastActionAt = now }
    // For the incoming track of a fade it may be the second death, which restores the outgoing track's level.
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

  /// Whether the card is playing.
  var isRecentlyHeard: Bool { now < lastFrame + 40_000_000 }

  /// Resets the oracle after a power cut and reboot.
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
