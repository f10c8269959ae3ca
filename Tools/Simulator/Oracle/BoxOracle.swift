// Judges what only a whole box says and does: status, light, limits of the volume, presses. One thread.

import Daemon
import Controls
import PlaybackModel
import Player

/// Compares what a box tells with what it does.
final class BoxOracle {
  unowned let oracle: Oracle
  let settings: BoxSettings
  let rate: Int
  /// When somebody last set the clock.
  var clockSetAt: UInt64 = 0
  /// Whether the box was asked to end.
  var isEnding = false
  var memory = MemoryTrail()
  var cues = CueWatch()
  var alarms = AlarmWatch()
  var bookmarks = BookmarkWatch()
  var liveInputs = LiveInputWatch()
  /// Whether what was remembered is there again, or known to be lost.
  var isRestored = false
  /// Until when a box that had never kept anything may still have nothing.
  var nothingUntil: UInt64 = 0
  /// Since when the box takes commands.
  var openedAt: UInt64?
  /// When the box last noticed that a stick was put in, which gives its tracks another chance.
  var stickNoticedAt: UInt64 = 0
  /// When the power went, and the box had begun by then.
  var diedAt: UInt64?
  /// Whether the power has stayed since what was remembered was last taken up.
  var hadPower = false
  /// Since when the storage cannot be relied on, until when, and when it last hung.
  var troubleSince: UInt64?
  var troubleEndedAt: UInt64?
  var hungAt: UInt64?
  private var indicator = Indicator(.none, .off)
  /// What the light on its line does for it: where nothing happens until somebody comes it is dark, because blinking
  /// would wake the processor.
  private var steps: [LightStep] {
    switch indicator.pattern {
    case .breathing, .slowBlink: [LightStep(false, milliseconds: nil)]
    case .off, .steady, .fastBlink, .rareBlink, .shortGaps, .flashes: indicator.steps
    }
  }
  private var indicatorSince: UInt64 = 0
  /// Since when the light's level is judged: since the box is on.
  private var lightSince: UInt64 = 0
  private var transitions: UInt64 = 0
  private var rhythmSince: UInt64 = 0
  private var presses: [(name: String, at: UInt64)] = []
  private var releases: [(name: String, at: UInt64)] = []
  /// What the box said of itself just before it took the input of a control.
  private var before: (claims: Claims, at: UInt64)?

  init(_ oracle: Oracle, _ settings: BoxSettings, rate: Int) {
    self.oracle = oracle
    self.settings = settings
    self.rate = rate
  }

  var now: UInt64 { oracle.now }
  /// Until when the simulation holds up the control thread, or did.
  var stalledUntil: UInt64 { oracle.controlStalledUntil }

  /// After each turn of the control thread.
  func look(_ claims: Claims, _ player: Player, _ outside: SimulatedBoxes) {
    if isRestored { memory.note(player, oracle.intent, at: now) }
    memory.trim(before: min(now, troubleSince ?? .max))
    judgeLoudness(claims, minute: outside.localTime.minuteOfDay)
    judgeCues(claims, player, outside)
    judgeLiveInputs(claims, player, outside)
    if player.machine.history.total != transitions {
      // What it showed for an instant in between has begun its rhythm anew.
      transitions = player.machine.history.total
      rhythmSince = now
    }
    judgeLight(claims.state, outside)
    judgePresses()
    if let worst = outside.workers.map({ $0.worker.backlog }).max(), worst > 20 {
      oracle.fail(.resources, expected: "20 jobs of a worker at most", found: "\(worst)")
    }
  }

  /// Before the box writes anything down.
  func willStore(_ player: Player) {
    if isRestored { memory.note(player, oracle.intent, at: now) }
  }

  func booted() {
    isEnding = false
    isRestored = false
    openedAt = nil
    presses = []
    // Once it is there, and what the box makes of its last ends.
    cues = CueWatch(judged: oracle.tracker.ear.heard.count, isLoading: cues.isLoading)
    for name in ["ready", "error-internal"] { cueIsDue(name, isCertain: false) }
    (indicator, indicatorSince, lightSince) = (Indicator(.none, .off), now, now)
  }

  // MARK: Volume

  private func judgeLoudness(_ claims: Claims, minute: Int) {
    let part = Double(settings.most(at: minute)) / 100
    let limit = part * part * part * 1.0001
    // The box knows minutes, and looks at the clock anew when it is set.
    let bound: UInt64 =
      settings.night == nil || now < clockSetAt + 60_000_000_000 ? 300_000_000 : 61_000_000_000
    let loudness = max(claims.gain ?? 0, oracle.isRecentlyHeard ? oracle.tracker.loudness : 0)
    oracle.watch(
      .loudness, isWrong: loudness > limit && now > max(stalledUntil, clockSetAt), for: bound,
      expected: "a gain of \(limit) at most", found: "\(loudness)")
  }

  // MARK: The light

  func lightChanged(to isOn: Bool, after duration: UInt64, in outside: SimulatedBoxes) {
    let begin = now - duration
    guard begin > max(indicatorSince, rhythmSince), begin > lightSince, stalledUntil < begin, !isEnding else {
      return
    }
    let fits = steps.contains { step in
      guard step.isOn != isOn, let length = step.milliseconds else { return false }
      let milliseconds = duration / 1_000_000
      return milliseconds + 1 >= UInt64(length) && milliseconds <= UInt64(length) + 70
    }
    if !fits, let player = outside.box?.player,
      self.indicator(of: player.machine.state, in: outside) == indicator,
      player.machine.history.total == transitions
    {
      oracle.fail(
        .light, expected: "the rhythm of '\(indicator.text)'",
        found: "\(isOn ? "dark" : "lit") for \(duration / 1_000_000) ms")
    }
  }

  /// Nanoseconds within which a change that could not be stored is tried again, and a little.
  static let storeRetry: UInt64 = 61_000_000_000

  /// What the light has to show in a state. That storage does not answer is shown where something is waited for only.
  func indicator(of state: PlayerState, in outside: SimulatedBoxes) -> Indicator {
    let isWaiting = state.showsLoading || state.kind == .idle
    let shown = outside.box?.indicator
    if shown == .notSaved, state.kind != .failed, hasTrouble(within: Self.storeRetry) { return .notSaved }
    if shown == .skippedLines, state.kind != .failed, outside.box?.hasSkippedLines == true {
      return .skippedLines
    }
    return isWaiting && shown == .waitingForStorage ? .waitingForStorage : state.indicator
  }

  private func judgeLight(_ state: PlayerState, _ outside: SimulatedBoxes) {
    let (contacts, wanted) = (outside.contacts, indicator(of: state, in: outside))
    if wanted != indicator { (indicator, indicatorSince) = (wanted, now) }
    guard now > indicatorSince + 100_000_000, now > lightSince + 1_000_000_000,
      now > stalledUntil + 100_000_000,
      !isEnding
    else { return }
    let steps = steps
    if steps.count == 1 {
      guard steps[0].isOn != contacts.light.isOn else { return }
      oracle.fail(
        .light, expected: "'\(indicator.text)' in \(state.kind.name)",
        found: contacts.light.isOn ? "lit" : "dark")
    } else {
      let longest = UInt64(
        steps.filter { $0.isOn == contacts.light.isOn }.compactMap(\.milliseconds).max() ?? 0)
      let since = max(contacts.light.since, indicatorSince, rhythmSince, stalledUntil)
      guard now > since + (longest + 150) * 1_000_000 else { return }
      oracle.fail(
        .light, expected: "the rhythm of '\(indicator.text)' in \(state.kind.name)",
        found: "\(contacts.light.isOn ? "lit" : "dark") for \((now - since) / 1_000_000) ms")
    }
  }

  // MARK: Presses

  /// What it remembers is taken up: whatever waited for that is carried out next, and heard as loud as is remembered.
  func hasResumed(_ claims: Claims, _ player: Player, _ outside: SimulatedBoxes) {
    before = (claims, now)
    followCueGains(player, minute: outside.localTime.minuteOfDay)
  }

  func willTake(_ claims: Claims?) {
    // It may be about to play a sound of its own, too.
    oracle.disturb()
    if let claims { before = (claims, now) }
  }

  func pressed(_ name: String, _ isDown: Bool) {
    guard settings.pressed.contains(where: { $0.button == name }) else { return }
    if isDown {
      // Pressed again at once it may never have been up.
      if !releases.contains(where: { $0.name == name && now < $0.at + 60_000_000 }) {
        presses.append((name, now))
      }
    } else {
      releases.removeAll { $0.name == name }
      releases.append((name, now))
      // So short that it may be a bounce.
      presses.removeAll { $0.name == name && now < $0.at + 35_000_000 }
    }
  }

  private var timeout: UInt64 { oracle.world.weather.seed == nil ? 50_000_000 : 115_000_000 }

  private func judgePresses() {
    guard let first = presses.first, let openedAt, !isEnding,
      now > max(first.at, stalledUntil, openedAt) + timeout
    else { return }
    oracle.fail(
      .press, expected: "what '\(first.name)' is for, within \(timeout / 1_000_000) ms", found: "nothing")
  }

  /// A line of the log: it tells of gestures, and of the sleep timer.
  func logged(_ level: LogLevel, _ text: String, claims: () -> Claims?) {
    if text == "The sleep timer is over.", let claims = claims() {
      return oracle.willPerform(.sleepTimer, claims)
    }
    // Whoever pressed has been told that nothing comes of it.
    if text.hasPrefix("the storage "), text.contains(" does not answer; try again") {
      oracle.intent.mayStaySilent()
    }
    if text.hasPrefix("there is no music in "), claims()?.state.isActive == false {
      oracle.intent.findNothing(at: now)
    }
    if text.hasSuffix(" has appeared.") { stickNoticedAt = now }
    if text.hasPrefix("The alarm of "), text.hasSuffix(" rings.") { alarmRings() }
    if text.hasPrefix("The alarm found nothing to play") { alarmRingsByItself() }
    for (button, command) in settings.pressed
    where text == "\(button) press: \(command)" || text.hasPrefix("\(button) press, \(command): ") {
      if let place = presses.firstIndex(where: { $0.name == button }) { presses.remove(at: place) }
      if level == .debug { note(command) { _ in true } }
    }
    for (gesture, command) in settings.bound where text == "\(gesture): \(command)" {
      note(command) { action in
        if case .type = action { false } else { true }
      }
    }
  }

  /// A gesture has given a command.
  private func note(_ command: String, where counts: (Action) -> Bool) {
    noteCue(of: command)
    let isFresh = before?.at == now
    guard let claims = isFresh ? before?.claims : oracle.claims else { return }
    let action = Orders.action(command, in: claims)
    guard counts(action) else { return }
    oracle.willPerform(action, claims, isFresh: isFresh)
    // Where nothing is loaded the music is looked up first, and what is asked for meanwhile does not take that back.
    if action == .play, claims.current == nil, claims.next == nil {
      oracle.mayPlay(until: now + Oracle.storageWait)
    }
  }
}
