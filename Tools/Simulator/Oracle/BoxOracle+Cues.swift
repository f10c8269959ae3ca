// Oracle for cues and announcements: each one due by the model is heard, and no other. One thread.

import PlaybackModel
import Player

/// Cues that are due, and cues that were heard.
struct CueWatch {
  struct Due {
    let cue: Int
    let at: UInt64
    /// Whether it must be heard; otherwise it may be.
    let isCertain: Bool
    /// Nanoseconds within which it may begin.
    var window: UInt64 { cue < CueSignal.names.count ? 35_000_000_000 : 150_000_000_000 }
  }

  var due: [Due] = []
  /// Number of heard cues already checked.
  var judged = 0
  /// Whether cue files are still loading; built-in cues play until then.
  var isLoading = false
  /// Gains that a cue beginning now may have, and until when each is possible.
  var gains: [(gain: Float, until: UInt64)] = []
  /// Gains that an announcement at full volume may have, and until when each is possible.
  var loudest: [(gain: Float, until: UInt64)] = []
  /// When there last was no card to play on.
  var withoutCardAt: UInt64 = 0
  /// Number of state transitions already processed.
  var transitions: UInt64 = 0
}

extension BoxOracle {
  /// Three cues may follow one another, each as long as the longest built-in one.
  private static let maxLength: UInt64 = 3_500_000_000

  /// Expects a cue.
  /// - Parameters:
  ///   - name: The cue's name in the settings.
  ///   - isCertain: Whether it must be heard, not just may be.
  func cueIsDue(_ name: String, isCertain: Bool) {
    guard let box = oracle.world.box, box.playsCues, let cue = CueSignal.names.firstIndex(of: name) else {
      return
    }
    guard box.hasFile(ofCue: name) else { return oracle.mayBeStrange(isForgotten: false) }
    isDue(cue, isCertain: isCertain)
  }

  /// Expects an announcement, which plays once it has been looked up.
  func noteAnnouncement(_ line: String, isCertain: Bool) {
    if line == "announce stop" { return announcementsStop(within: 35_000_000_000) }
    if let number = CueSignal.number(line: line) { isDue(number, isCertain: isCertain) }
  }

  /// From now on, announcements may be stopped and need not be heard.
  func announcementsStop(within time: UInt64) {
    guard oracle.tracker.circumstances.hasCues else { return }
    for place in cues.due.indices where cues.due[place].cue >= CueSignal.names.count {
      let due = cues.due[place]
      cues.due[place] = CueWatch.Due(cue: due.cue, at: due.at, isCertain: false)
    }
    let until =
      max(now, oracle.audioStalledUntil, stalledUntil) + min(time, ExcuseWindow.announcementStop.bound)
    oracle.tracker.learn { $0.circumstances.announcementStopsUntil = until }
  }

  private func isDue(_ cue: Int, isCertain: Bool) {
    cues.due.append(CueWatch.Due(cue: cue, at: now, isCertain: isCertain))
    let circumstances = oracle.tracker.circumstances
    if !circumstances.dueCues.contains(cue) { oracle.tracker.learn { $0.circumstances.dueCues.append(cue) } }
    if cues.isLoading { oracle.mayBeStrange(isForgotten: false) }
  }

  /// Expects the cues of a line that was carried out.
  func noteCue(of line: String) {
    if line.hasPrefix("volume") { cueIsDue("volume-limit", isCertain: false) }
    if line.hasPrefix("sleep "), line != "sleep off" { cueIsDue("sleep-timer", isCertain: true) }
  }

  /// Whether a cue that must be heard may be sounding now or soon.
  var expectsCue: Bool { cues.due.contains { $0.isCertain && now < $0.at + Self.maxLength } }

  /// Checks cues. Called after each turn of the control thread.
  func judgeCues(_ claims: Claims, _ player: Player, _ outside: SimulatedBoxes) {
    guard oracle.tracker.circumstances.hasCues else { return }
    if oracle.isCardLost || outside.slot.holder == nil { cues.withoutCardAt = now }
    noteStorage(claims.state, outside)
    // A press of play on an empty queue, or for another stick, searches for music and may find none while storage is away.
    let isAway = outside.storage.health != .well || outside.decoders.storage != 100
    if claims.state.kind == .failed || claims.contents.count == 0 && isAway { cueIsPossible("error-file") }
    followCueGains(player, minute: outside.localTime.minuteOfDay)
    noteFailures(claims.trail)
    judgeHeardCues()
    judgeDueCues()
    forgetOldCues()
  }

  /// Allows the cues for waiting for storage and for unsaved changes.
  private func noteStorage(_ state: PlayerState, _ outside: SimulatedBoxes) {
    if state.showsLoading || outside.storage.health != .well || outside.decoders.storage != 100 {
      cueIsPossible("storage-wait")
    }
    if hasTrouble(within: Self.storeRetry) { cueIsPossible("not-saved") }
    // No world has a file for the cue of skipped configuration lines.
    if outside.box?.hasSkippedLines == true { oracle.mayBeStrange(isForgotten: false) }
  }

  /// Allows a cue from now on.
  private func cueIsPossible(_ name: String) {
    guard let cue = CueSignal.names.firstIndex(of: name),
      !cues.due.contains(where: { $0.cue == cue && now < $0.at + Self.maxLength })
    else { return }
    cueIsDue(name, isCertain: false)
  }

  private func forgetOldCues() {
    cues.due.removeAll { now > $0.at + $0.window }
    let present = oracle.tracker.circumstances.dueCues.filter { cue in cues.due.contains { $0.cue == cue } }
    guard present != oracle.tracker.circumstances.dueCues else { return }
    oracle.tracker.learn { $0.circumstances.dueCues = present }
  }

  /// Cues are as loud as the music, but at least -36 dB and at most 60 % or the volume limit.
  func followCueGains(_ player: Player, minute: Int) {
    let most = Self.gain(Float(settings.most(at: minute)))
    let least = Gain(decibels: -36).factor
    if remember(min(max(Self.gain(player.volume.percent), least), Self.gain(60), most), among: &cues.gains) {
      let gains = cues.gains.reversed().map { $0.gain }
      oracle.tracker.learn { $0.circumstances.cueGains = gains }
    }
    let before = cues.loudest.last?.gain
    guard remember(most, among: &cues.loudest) else { return }
    let gains = cues.loudest.reversed().map { $0.gain }
    oracle.tracker.learn { $0.circumstances.loudestGains = gains }
    // A sounding announcement follows the limit.
    if before != nil, before != gains.first {
      oracle.mayBeStrange(isForgotten: oracle.tracker.ear.current != nil)
    }
  }

  /// The gain of a volume in percent, on the cubic curve that simulated boxes use.
  private static func gain(_ percent: Float) -> Float {
    let part = percent / 100
    return part * part * part
  }

  /// Adds a gain for as long as it may be heard.
  /// - Returns: Whether the set of gains changed.
  private func remember(_ gain: Float, among all: inout [(gain: Float, until: UInt64)]) -> Bool {
    let former = all.map { $0.gain }
    all.removeAll { $0.until < now || $0.gain == gain }
    all.append((gain, now + Self.maxLength))
    return former != all.map { $0.gain }
  }

  /// Expects an error cue for each failure that stopped wanted music.
  private func noteFailures(_ trail: History) {
    if trail.total < cues.transitions { cues.transitions = 0 }
    let fresh = Int(min(trail.total - cues.transitions, UInt64(trail.count)))
    cues.transitions = trail.total
    for index in (trail.count - fresh)..<trail.count {
      guard trail[index].from.kind != .failed, case .failed(let error, _, _, .play) = trail[index].to else {
        continue
      }
      cueIsDue(error.cue, isCertain: true)
    }
  }

  private func judgeHeardCues() {
    let heard = oracle.tracker.ear.heard
    guard heard.count > cues.judged else { return }
    for one in heard[cues.judged...] {
      let isAsked = cues.due.contains { due in
        due.cue == one.cue && due.at <= one.time
          && one.time < max(due.at, oracle.audioStalledUntil) + (due.isCertain ? Self.maxLength : due.window)
      }
      if !isAsked {
        oracle.fail(
          .cue, expected: "no sound of the box's own that nothing has come to pass for",
          found: "'\(CueSignal.name(one.cue))'")
      }
    }
    cues.judged = heard.count
  }

  private func judgeDueCues() {
    while let place = cues.due.firstIndex(where: { $0.isCertain && now > $0.at + Self.maxLength }) {
      let due = cues.due[place]
      cues.due[place] = CueWatch.Due(cue: due.cue, at: due.at, isCertain: false)
      let begin = due.at - min(due.at, Self.maxLength)
      // A cue that already sounds or waits is not repeated.
      let isHeard = oracle.tracker.ear.heard.contains {
        $0.cue == due.cue && $0.time + 500_000_000 >= due.at
      }
      let others = Set(cues.due.filter { $0.at >= begin && $0.at <= due.at }.map { $0.cue })
      // Failures without an output are reported late, and at most two cues wait.
      let isExcused =
        others.count > 2 || cues.withoutCardAt + 2_000_000_000 >= due.at
        || oracle.faultAt + 2_000_000_000 >= due.at || isEnding
        || oracle.tracker.circumstances.strangeCuesUntil > due.at
        || max(oracle.audioStalledUntil, stalledUntil) + 500_000_000 > due.at
      if !isHeard, !isExcused {
        oracle.fail(.cue, expected: "the sound '\(CueSignal.name(due.cue))'", found: "none")
      }
    }
  }
}
