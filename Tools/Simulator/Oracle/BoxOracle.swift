// Oracle for what only a whole box has: status, LED, volume limits, presses. One thread.

import Daemon
import Controls
import PlaybackModel
import Player

/// Compares what a box reports with what it does. Extensions check alarms, bookmarks, cues, live inputs, saved state
/// and status.
final class BoxOracle {
  unowned let oracle: Oracle
  let settings: BoxSettings
  let rate: Int
  /// When the clock was last set.
  var clockSetAt: UInt64 = 0
  /// Whether the box was asked to end.
  var isEnding = false
  var memory = MemoryTrail()
  var cues = CueWatch()
  var alarms = AlarmWatch()
  var bookmarks = BookmarkWatch()
  var liveInputs = LiveInputWatch()
  /// Whether the saved state was restored or found to be lost.
  var isRestored = false
  /// Until when a box without any saved state may still have none.
  var nothingUntil: UInt64 = 0
  /// When the box began to accept commands.
  var openedAt: UInt64?
  /// When the box last noticed an inserted stick, which makes its tracks eligible again.
  var stickNoticedAt: UInt64 = 0
  /// When the box died, if it had started by then.
  var diedAt: UInt64?
  /// Whether the power has stayed on since the last restore.
  var hadPower = false
  /// Since when and until when the storage is unreliable, and when it last hung.
  var troubleSince: UInt64?
  var troubleEndedAt: UInt64?
  var hungAt: UInt64?
  private var indicator = Indicator(.none, .off)
  /// Blink steps expected on the LED's line. Patterns for a box at rest are dark, because blinking would wake the
  /// processor.
  private var steps: [LightStep] {
    switch indicator.pattern {
    case .breathing, .slowBlink: [LightStep(false, milliseconds: nil)]
    case .off, .steady, .fastBlink, .rareBlink, .shortGaps, .flashes: indicator.steps
    }
  }
  private var indicatorSince: UInt64 = 0
  /// Since when the LED's level is checked: since power-on.
  private var lightSince: UInt64 = 0
  private var transitions: UInt64 = 0
  private var rhythmSince: UInt64 = 0
  private var presses: [(name: String, at: UInt64)] = []
  private var releases: [(name: String, at: UInt64)] = []
  /// Claims just before the box read the input of a control.
  private var before: (claims: Claims, at: UInt64)?

  init(_ oracle: Oracle, _ settings: BoxSettings, rate: Int) {
    self.oracle = oracle
    self.settings = settings
    self.rate = rate
  }

  var now: UInt64 { oracle.now }
  /// Until when the simulation stalls or stalled the control thread.
  var stalledUntil: UInt64 { oracle.controlStalledUntil }

  /// Runs all checks. Called after each turn of the control thread.
  func look(_ claims: Claims, _ player: Player, _ outside: SimulatedBoxes) {
    if isRestored { memory.note(player, oracle.intent, at: now) }
    memory.trim(before: min(now, troubleSince ?? .max))
    judgeLoudness(claims, minute: outside.localTime.minuteOfDay)
    judgeCues(claims, player, outside)
    judgeLiveInputs(claims, player, outside)
    if player.machine.history.total != transitions {
      // A state that was entered only for an instant has restarted the blink rhythm.
      transitions = player.machine.history.total
      rhythmSince = now
    }
    judgeLight(claims.state, outside)
    judgePresses()
    if let worst = outside.workers.map({ $0.worker.backlog }).max(), worst > 20 {
      oracle.fail(.resources, expected: "20 jobs of a worker at most", found: "\(worst)")
    }
  }

  /// Called before the box saves its state.
  func willStore(_ player: Player) {
    if isRestored { memory.note(player, oracle.intent, at: now) }
  }

  func booted() {
    isEnding = false
    isRestored = false
    openedAt = nil
    presses = []
    // Startup cues: `ready`, and an error cue for the previous run's end.
    cues = CueWatch(judged: oracle.tracker.ear.heard.count, isLoading: cues.isLoading)
    for name in ["ready", "error-internal"] { cueIsDue(name, isCertain: false) }
    (indicator, indicatorSince, lightSince) = (Indicator(.none, .off), now, now)
  }

  // MARK: Volume

  private func judgeLoudness(_ claims: Claims, minute: Int) {
    let part = Double(settings.most(at: minute)) / 100
    let limit = part * part * part * 1.0001
    // The box works in whole minutes, and reads the clock again when it is set.
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

  /// Nanoseconds until a change that could not be stored is retried, with a margin.
  static let storeRetry: UInt64 = 61_000_000_000

  /// The indicator that the LED must show in a state. `waitingForStorage` is shown only where the player waits for
  /// something.
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

  /// Handles the moment of the restore: requests that waited for it are carried out next, at the restored volume.
  func hasResumed(_ claims: Claims, _ player: Player, _ outside: SimulatedBoxes) {
    before = (claims, now)
    followCueGains(player, minute: outside.localTime.minuteOfDay)
  }

  func willTake(_ claims: Claims?) {
    // The box may also be about to play a cue.
    oracle.disturb()
    if let claims { before = (claims, now) }
  }

  func pressed(_ name: String, _ isDown: Bool) {
    guard settings.pressed.contains(where: { $0.button == name }) else { return }
    if isDown {
      // If pressed again at once, the debounced line may never have been released.
      if !releases.contains(where: { $0.name == name && now < $0.at + 60_000_000 }) {
        presses.append((name, now))
      }
    } else {
      releases.removeAll { $0.name == name }
      releases.append((name, now))
      // Short enough to be filtered as a bounce.
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

  /// Reads gestures, the sleep timer, alarms and failures from a line of the log.
  func logged(_ level: LogLevel, _ text: String, claims: () -> Claims?) {
    if text == "The sleep timer is over.", let claims = claims() {
      return oracle.willPerform(.sleepTimer, claims)
    }
    // The box has reported that the request failed.
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

  /// Reports a gesture's command to the oracle.
  private func note(_ command: String, where counts: (Action) -> Bool) {
    noteCue(of: command)
    let isFresh = before?.at == now
    guard let claims = isFresh ? before?.claims : oracle.claims else { return }
    let action = Orders.action(command, in: claims)
    guard counts(action) else { return }
    oracle.willPerform(action, claims, isFresh: isFresh)
    // With nothing loaded, play first looks up the music, and later requests do not cancel that.
    if action == .play, claims.current == nil, claims.next == nil {
      oracle.mayPlay(until: now + Oracle.storageWait)
    }
  }
}
