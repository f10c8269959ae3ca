// Judges live sources: who may be heard is, music stands still meanwhile, and goes on when nobody sends any more. One thread.

import PlaybackModel
import Player

/// What was wrong with sources, and since when.
struct LiveInputWatch {
  /// What can be wrong for a while.
  enum Concern: Int, CaseIterable {
    case besideMusic, musicHeldForNone, overstays, missing, unasked, loudness
  }

  /// The source that is heard by the box's own word.
  var heard: String?
  /// Since when each of them is wrong.
  var wrongSince = WrongSince(Concern.allCases.count)
  /// When somebody or something last may have kept a source from being heard.
  var hinderedAt: UInt64 = 0
  /// The source that was heard when the card went, when that was, and since when there is one again.
  var lost: (name: String, at: UInt64, backAt: UInt64?)?
}

extension BoxOracle {
  /// How long a source's sound is missed before it is over, with what a box then takes.
  private static let farewell: UInt64 = 2_600_000_000
  /// The longest until one is heard that begins to sound: what comes first is kept back for its delay.
  private static let welcome: UInt64 = 1_500_000_000

  /// After each turn of the control thread.
  func judgeLiveInputs(_ claims: Claims, _ player: Player, _ outside: SimulatedBoxes) {
    guard let ear = oracle.liveInputs else { return }
    let name = player.liveInputName
    if name != liveInputs.heard {
      if name == nil, player.machine.outputIsLost {
        liveInputs.lost = liveInputs.heard.map { ($0, now, nil) }
      }
      liveInputs.heard = name
      oracle.disturb()
    }
    let state = claims.state
    noteHindrance(claims, hasCard: outside.slot.holder != nil)
    let reaction = oracle.reaction + 400_000_000
    let isExcused =
      now
      < max(
        oracle.faultAt + 1_500_000_000, stalledUntil + 500_000_000, oracle.audioStalledUntil + 500_000_000)
    watch(
      .besideMusic, name != nil && state.isActive, for: 300_000_000, "music or a source",
      "both: \(name ?? ""), \(state.kind.name)")
    watch(
      .musicHeldForNone, name == nil && state.pauseReason == .liveInput, for: 300_000_000,
      "music, or a source that it makes room for",
      "neither, \(state.kind.name)")
    let sender = outside.senders.first { $0.name == name }
    watch(
      .overstays, name != nil && sender?.isSounding == false, for: Self.farewell,
      "music where nobody sends any more",
      "the source \(name ?? "")")
    let isMissing =
      name != nil && sender?.isSounding == true && now > max(ear.heardAt, ear.coveredAt) + 100_000_000
    watch(
      .missing, isMissing && !isExcused && !oracle.isCardLost && outside.slot.holder != nil,
      for: 1_000_000_000 + reaction,
      "the source \(name ?? "")", "silence")
    let isUnasked =
      name == nil && ear.clearSince != .max && now > ear.clearSince && now < ear.heardAt + 100_000_000
    watch(.unasked, isUnasked && !isExcused, for: 400_000_000 + reaction, "no source", "one")
    judgeWelcome(outside)
    judgeReturn(claims, player, sender: outside.senders.first { $0.name == liveInputs.lost?.name })
    judgeLiveInputGain(ear)
  }

  /// What was heard when the card went is heard again when one is back.
  private func judgeReturn(_ claims: Claims, _ player: Player, sender: Sender?) {
    guard let lost = liveInputs.lost else { return }
    guard let sender, sender.isSounding, sender.since < lost.at, liveInputs.heard == nil,
      oracle.lastAskedAt < lost.at,
      alarms.rangAt.map({ $0 < lost.at }) ?? true, isRestored, !isEnding
    else { return liveInputs.lost = nil }
    let isBack = !player.machine.outputIsLost
    if isBack != (lost.backAt != nil) { liveInputs.lost?.backAt = isBack ? now : nil }
    if let backAt = lost.backAt, now > max(backAt, stalledUntil) + Self.welcome + 1_500_000_000 {
      oracle.fail(
        .source, expected: "the source \(lost.name), which was heard when the card went", found: "none")
    }
  }

  private func watch(
    _ concern: LiveInputWatch.Concern, _ isWrong: Bool, for bound: UInt64, _ expected: String,
    _ found: @autoclosure () -> String
  ) {
    guard let since = liveInputs.wrongSince.note(concern.rawValue, isWrong, at: now) else { return }
    if now > max(since, stalledUntil) + bound { oracle.fail(.source, expected: expected, found: found()) }
  }

  /// Whatever somebody does may be what ends a source, or keeps it away until it sounds anew.
  private func noteHindrance(_ claims: Claims, hasCard: Bool) {
    let reason = claims.state.pauseReason
    if oracle.isCardLost || !hasCard || reason == .standby || reason == .interruption || reason == .outputLost
      || oracle.lastActionAt + 50_000_000 > now || oracle.faultAt + 1_500_000_000 > now
      || claims.beside.isRemembering || isEnding
      || now < alarms.barsSourcesUntil
    {
      liveInputs.hinderedAt = now
    }
  }

  /// One that may always be heard is, soon after it begins to sound.
  private func judgeWelcome(_ outside: SimulatedBoxes) {
    // After a shorter pause it is the same sound, which may have been sent away.
    for sender in outside.senders
    where sender.isSounding && sender.takesOverAlways && sender.formerPause > Self.farewell {
      let due = sender.since + Self.welcome
      // Another one that began later has taken its place.
      let isOutdone = outside.senders.contains {
        $0 !== sender && $0.isSounding && $0.since + Self.welcome > sender.since
      }
      guard now > due, now < due + 500_000_000, liveInputs.hinderedAt < sender.since, !isOutdone,
        stalledUntil + Self.welcome < now, liveInputs.heard != sender.name
      else { continue }
      oracle.fail(
        .source, expected: "the source \(sender.name), which has begun to sound",
        found: liveInputs.heard ?? "none")
    }
  }

  /// While nothing moves, a source is as loud as the volume says.
  private func judgeLiveInputGain(_ ear: LiveInputListener) {
    let volume = oracle.tracker.circumstances.volume
    guard let gain = ear.gain, now > ear.clearSince, now - ear.clearSince > 800_000_000 + oracle.reaction,
      oracle.isRecentlyHeard,
      now > oracle.tracker.circumstances.disturbedAt + oracle.reaction + 1_500_000_000,
      now > oracle.faultAt + 1_500_000_000,
      oracle.tracker.ear.isIdle, !oracle.tracker.circumstances.mayBeStrange(at: now)
    else {
      _ = liveInputs.wrongSince.note(LiveInputWatch.Concern.loudness.rawValue, false, at: now)
      return
    }
    watch(
      .loudness, abs(gain - volume) > 1e-4 * volume + 1e-7, for: 500_000_000,
      "a source at the volume, \(volume)",
      "\(gain)")
  }
}
