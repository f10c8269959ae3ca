// A shell without sound: carries out the machine's orders on two imagined decks, and reports what a mixer
// and decoders would, also late. For random runs of the machine in strict mode.
import PlaybackModel

struct ModelShell {
  struct Deck {
    var track: Track
    var position: Int64
    var isCued = false
    var hasEnded = false
  }

  struct RunningFade {
    var fade: Fade
    var timing: FadeTiming
    var elapsed: Int64 = 0
    var isComplete = false

    var progress: FadeProgress {
      FadeProgress(
        index: Frames(Int64(timing.curvePosition(atElapsed: Frames(elapsed)))), length: fade.length)
    }
  }

  enum Wait { case nothing, prepare, seek, refill }

  var machine: PlayerStateMachine
  var random: ShuffleGenerator
  var time: UInt64 = 0
  var current: Deck?
  var next: Deck?
  var fade: RunningFade?
  var armed: Fade?
  var fadeOut: Int64?
  var isSounding = false
  var hasAdvanced = false
  var saidEnd = false
  var waits = Wait.nothing
  /// What the mixer has said and the control thread has not yet read.
  var reports: [PlayerEvent] = []
  var retryIsScheduled = false
  var wantsNext = false
  /// The last known position of each track since it was last placed; it may only grow.
  var reached = [Int64](repeating: 0, count: 16)
  var fadeReached: FadeProgress?
  var violations: [String] = []
  var handled = 0
  var visited = Set<PlayerState.Kind>()

  static let tracks: [Track] = (0..<8).map { (i: Int) -> Track in
    let length: Frames? = i % 3 == 0 ? nil : Frames(Int64(200_000 + 90_000 * i))
    return Track(id: UInt64(i), path: i < 4 ? "/mnt/usb/\(i)" : "/srv/\(i)", length: length)
  }

  static func end(of track: Track) -> Int64 { track.length?.count ?? 600_000 }

  init(seed: UInt64) {
    var settings = PlayerSettings(rate: SampleRate(48000))
    settings.automaticFadeLength = Seconds(2)
    settings.manualFadeLength = Seconds(1.5)
    machine = PlayerStateMachine(settings: settings, isStrict: true)
    random = ShuffleGenerator(seed: seed)
  }

  /// The last transitions, for a failing run.
  var trace: String {
    let history = machine.history
    return (max(0, history.count - 16)..<history.count).map { i in
      "\(history[i].event.kind.name): \(history[i].from.displayText) => \(history[i].to.displayText)"
    }.joined(separator: "\n")
  }

  mutating func chance(_ percent: UInt64) -> Bool { random.next() % 100 < percent }

  mutating func anyTrack() -> Track { Self.tracks[Int(random.next() % 8)] }

  // Positions by the roles of the machine's state, as a real shell knows which deck plays which track.

  func position(of track: Track?) -> Frames? {
    guard let track else { return nil }
    if let current, current.track.id == track.id { return Frames(current.position) }
    if let next, next.track.id == track.id { return Frames(next.position) }
    return nil
  }

  var moment: Moment {
    let state = machine.state
    var here = position(of: state.currentTrack) ?? .zero
    var there = position(of: state.nextTrack)
    // A track that fades into itself is on both decks; the roles tell them apart.
    if state.currentTrack?.id == state.nextTrack?.id, let current { here = Frames(current.position) }
    if state.currentTrack?.id == state.nextTrack?.id, let next { there = Frames(next.position) }
    return Moment(time: time, current: here, next: there, fade: fade?.progress)
  }

  mutating func handle(_ event: PlayerEvent) {
    handled += 1
    var at = moment
    if case .didAdvance = event, let next { at.current = Frames(next.position) }
    // A track that fades into itself has two positions; which one a failure keeps is not compared.
    let fadesIntoItself = machine.state.currentTrack?.id == machine.state.nextTrack?.id
    let outcome = machine.handle(event, at: at)
    if case .didAdvance = event { promote() }
    if case .crossfadeCompleted = event, fade?.isComplete == true { promote() }
    visited.insert(outcome.state.kind)
    if outcome.verdict != .rejected(.nothingToFinish) {
      for effect in outcome.effects { carryOut(effect) }
    }
    if !outcome.state.isValid { violations.append("invalid after \(event): \(outcome.state)") }
    switch outcome.state {
    case .paused(let track, let position, _): note(track.id, position, event)
    case .crossfadePaused(let from, let to, _, let snapshot, _):
      if from.id != to.id {
        note(from.id, snapshot.fromPosition, event)
        note(to.id, snapshot.toPosition, event)
      }
      note(snapshot.progress, event)
    case .crossfading(_, _, _, let progress, _): note(progress, event)
    case .failed(_, let track?, let position):
      if fadesIntoItself { reached[Int(track.id)] = position.count }
      note(track.id, position, event)
    default: fadeReached = nil
    }
  }

  /// The next deck becomes the current one. Where both play the same track, its position starts anew.
  private mutating func takeNext() {
    if let next, next.track.id == current?.track.id { reached[Int(next.track.id)] = next.position }
    current = next
    next = nil
    fade = nil
  }

  private mutating func promote() {
    takeNext()
    hasAdvanced = false
    saidEnd = false
  }

  private mutating func note(_ id: UInt64, _ position: Frames, _ event: PlayerEvent) {
    if position.count < reached[Int(id)] {
      violations.append("track \(id) back from \(reached[Int(id)]) to \(position.count) on \(event)")
    }
    reached[Int(id)] = position.count
  }

  private mutating func note(_ progress: FadeProgress, _ event: PlayerEvent) {
    if let last = fadeReached, progress.length == last.length, progress.index < last.index {
      violations.append("fade back from \(last.index.count) to \(progress.index.count) on \(event)")
    }
    fadeReached = progress
  }

  private mutating func place(_ track: Track, _ position: Frames) -> Deck {
    reached[Int(track.id)] = position.count
    return Deck(track: track, position: position.count)
  }

  private mutating func dropMixerReports() {
    reports.removeAll {
      switch $0 {
      case .didPrepareNext, .didFailNext: false
      default: true
      }
    }
  }

  private mutating func dropNext() {
    next = nil
    armed = nil
    hasAdvanced = false
    reports.removeAll {
      switch $0 {
      case .didPrepareNext, .didFailNext, .deckFailed(.next, _), .crossfadeBegan, .didAdvance,
        .deckEnded(.next):
        true
      default: false
      }
    }
  }

  private mutating func releaseAll() {
    current = nil
    next = nil
    fade = nil
    armed = nil
    fadeOut = nil
    isSounding = false
    hasAdvanced = false
    saidEnd = false
    waits = .nothing
    wantsNext = false
    reports.removeAll(keepingCapacity: true)
  }

  private mutating func carryOut(_ effect: PlayerEffect) {
    switch effect {
    case .prepare(let track, let at):
      releaseAll()
      current = place(track, at)
      waits = .prepare
    case .prepareNext(let track, let at):
      reports.removeAll { if case .didPrepareNext = $0 { true } else { false } }
      if let next, next.track.id == track.id, next.isCued, next.position == at.count {
        reports.append(.didPrepareNext)
      } else {
        dropNext()
        if fade != nil { fade = nil }
        if track.id == current?.track.id {
          next = Deck(track: track, position: at.count)
        } else {
          next = place(track, at)
        }
      }
      wantsNext = false
    case .cancelNext:
      dropNext()
      fade = nil
    case .start, .resume: isSounding = true
    case .pause:
      isSounding = false
      settle()
    case .seek(let track, let target):
      dropMixerReports()
      if hasAdvanced { dropNext() }
      if current?.track.id != track.id { current = Deck(track: track, position: target.count) }
      reached[Int(track.id)] = target.count
      current?.position = target.count
      current?.hasEnded = false
      saidEnd = false
      fade = nil
      armed = nil
      fadeOut = nil
      isSounding = false
      waits = .seek
    case .armCrossfade(_, _, let fade): armed = fade
    case .disarmCrossfade: armed = nil
    case .beginCrossfade(_, let to, let ordered):
      armed = nil
      if fade == nil, !hasAdvanced {
        fade = RunningFade(
          fade: ordered,
          timing: FadeTiming(continuing: FadeProgress(index: .zero, length: ordered.length)))
        reports.append(.crossfadeBegan(to: to, fade: ordered))
      }
    case .resumeCrossfade(_, let timing, _):
      isSounding = true
      retime(timing)
    case .quickFinishCrossfade(let timing): retime(timing)
    case .collapseCrossfade:
      takeNext()
      saidEnd = false
      reports.removeAll {
        if case .deckEnded = $0 { true } else if case .deckFailed = $0 { true } else { false }
      }
    case .revertCrossfade:
      next = nil
      fade = nil
      reports.removeAll {
        switch $0 {
        case .deckEnded, .deckFailed, .crossfadeCompleted: true
        default: false
        }
      }
    case .beginFadeOut(let length):
      if fade != nil {
        takeNext()
        saidEnd = false
        reports.removeAll()
      }
      fadeOut = length.count
    case .reverseFadeOut: fadeOut = nil
    case .freezeFadeOut:
      fadeOut = nil
      isSounding = false
      settle()
    case .promoteNext(let track):
      let cued = next
      if cued != nil { reached[Int(track.id)] = 0 }
      releaseAll()
      current = cued ?? place(track, .zero)
      waits = .prepare
      if cued?.isCued == true {
        waits = .nothing
        reports.append(.didPrepare)
      }
    case .releaseAll: releaseAll()
    case .chooseNext: wantsNext = true
    case .scheduleRetry: retryIsScheduled = true
    case .cancelRetry: retryIsScheduled = false
    case .nowPlaying, .moveOn, .report, .playCue, .checkpoint: break
    }
  }

  private mutating func retime(_ timing: FadeTiming) {
    guard let running = fade, !running.isComplete else { return }
    fade = RunningFade(fade: running.fade, timing: timing)
  }

  /// The ramp into the pause has been heard: a little later than the order.
  private mutating func settle() {
    if !hasAdvanced, fade?.isComplete != true, chance(50) {
      play(Int64(random.next() % 500))
      let at = moment
      _ = machine.settle(current: at.current, next: at.next, fade: at.fade)
    }
  }

  /// Moves what sounds, without its edges.
  private mutating func play(_ frames: Int64) {
    if let deck = current, !deck.hasEnded {
      current?.position = min(deck.position + frames, Self.end(of: deck.track))
    }
    if fade != nil, let deck = next, !deck.hasEnded {
      next?.position = min(deck.position + frames, Self.end(of: deck.track))
    }
    if let running = fade, !running.isComplete { fade?.elapsed = running.elapsed + frames }
  }

  /// Lets time pass: the mixer plays and reports its edges, decoders finish or fail.
  mutating func tick() {
    let frames = Int64(random.next() % 12_000)
    time += UInt64(frames) * 20_833
    if isSounding, waits == .nothing, !hasAdvanced { mix(frames) }
    decode()
  }

  private mutating func mix(_ frames: Int64) {
    play(frames)
    guard let deck = current else { return }
    if let left = fadeOut {
      fadeOut = left - frames
      if left - frames <= 0 {
        fadeOut = nil
        isSounding = false
        reports.append(.fadeOutCompleted)
        return
      }
    }
    if let running = fade, !running.isComplete {
      if running.elapsed >= running.timing.duration.count {
        fade?.isComplete = true
        reports.append(.crossfadeCompleted)
        return
      }
    } else if let ordered = armed, let following = next,
      deck.position >= Self.end(of: deck.track) - ordered.length.count
    {
      armed = nil
      fade = RunningFade(
        fade: ordered, timing: FadeTiming(continuing: FadeProgress(index: .zero, length: ordered.length)))
      reports.append(.crossfadeBegan(to: following.track, fade: ordered))
    }
    if deck.position >= Self.end(of: deck.track), !saidEnd {
      saidEnd = true
      current?.hasEnded = true
      if fade != nil {
        reports.append(.deckEnded(.current))
      } else if let following = next, following.isCued, armed == nil, fadeOut == nil {
        hasAdvanced = true
        reports.append(.didAdvance(following.track))
      } else {
        reports.append(chance(50) ? .didReachEnd : .deckEnded(.current))
      }
    } else if chance(1), !saidEnd, fadeOut == nil, fade == nil {
      waits = .refill
      reports.append(.didStarve)
    }
  }

  private mutating func decode() {
    if let deck = next, !deck.isCued, chance(30) {
      if chance(90) {
        next?.isCued = true
        reports.append(.didPrepareNext)
      } else {
        next = nil
        reports.append(.didFailNext(error(deck.track)))
      }
    }
    guard let deck = current else { return }
    switch waits {
    case .nothing:
      if chance(1), chance(20), !hasAdvanced, fade?.isComplete != true, isSounding {
        if fade != nil {
          reports.append(.deckFailed(chance(50) ? .current : .next, error(deck.track)))
        } else {
          reports.append(chance(50) ? .didFail(error(deck.track)) : .deckFailed(.current, error(deck.track)))
        }
      }
    case .prepare, .seek, .refill:
      // A starving deck is refilled once the machine has been told that it starves.
      guard chance(40), waits != .refill || machine.state.kind == .buffering else {
        if waits == .refill, reports.isEmpty, machine.state.kind != .buffering { waits = .nothing }
        return
      }
      let done = waits
      waits = .nothing
      if chance(5) {
        reports.append(.didFail(error(deck.track)))
        return
      }
      current?.isCued = true
      reports.append(done == .prepare ? .didPrepare : done == .seek ? .didSeek : .didRefill)
    }
  }

  private mutating func error(_ track: Track) -> PlaybackError {
    let kinds = PlaybackError.Kind.allCases
    return PlaybackError(kinds[Int(random.next() % UInt64(kinds.count))], path: track.path)
  }

  /// Delivers what has been reported, oldest first.
  mutating func drain() {
    while !reports.isEmpty { handle(reports.removeFirst()) }
  }

  /// What the control thread does by itself while a track is heard.
  mutating func plan() {
    guard case .playing(let track) = machine.state, reports.isEmpty, fade == nil else { return }
    let position = current?.position ?? 0
    if next == nil, position > Self.end(of: track) - 250_000, chance(20) {
      let following = anyTrack()
      if chance(60) {
        handle(.nextDue(following, fade: machine.settings.automaticFade))
      } else {
        // Cued ahead for a gapless join.
        carryOut(.prepareNext(following, at: .zero))
      }
    }
  }

  mutating func wish() {
    switch random.next() % 24 {
    case 0, 1: handle(.load(chance(95) ? anyTrack() : nil, at: Frames(Int64(random.next() % 90_000))))
    case 2, 3, 4: handle(.play)
    case 5, 6: handle(.pause)
    case 7, 8: handle(.toggle)
    case 9: if chance(30) { handle(.stop) }
    case 10, 11: handle(.skip(to: chance(95) ? anyTrack() : nil))
    case 12: handle(.seek(Frames(Int64(random.next() % 609_000) - 9000)))
    case 13: handle(chance(50) ? .retry : .reset)
    case 14: handle(.finishFade)
    case 15: handle(.interruptionBegan)
    case 16: handle(.interruptionEnded(shouldResume: chance(80)))
    case 17: handle(chance(30) ? .standby : .wake)
    case 18: handle(.outputLost)
    case 19, 20: handle(.outputRestored)
    case 21: handle(chance(10) ? .storageRemoved(path: "/mnt/usb") : .powerFailing)
    case 22: handle(chance(10) ? .sleepTimerFired : .powerFailing)
    default: machine.settings.fadesManually = chance(50)
    }
  }

  mutating func step() {
    tick()
    // Usually reports are read before anything else; now and then a wish overtakes them.
    if chance(4) { wish() }
    drain()
    plan()
    if retryIsScheduled, chance(20) {
      retryIsScheduled = false
      handle(.retry)
    }
    if chance(8) { wish() }
    if case .crossfading = machine.state, let progress = fade?.progress {
      machine.observe(progress: progress)
    }
  }
}
