// Oracle for live inputs: the right one is heard, music is held for its duration and resumes afterwards. One thread.

import PlaybackModel
import Player

/// Discrepancies with live inputs, and since when each lasts.
struct LiveInputWatch {
  /// Discrepancy that is tolerated for a limited time only.
  enum Concern: Int, CaseIterable {
    case besideMusic, musicHeldForNone, overstays, missing, unasked, loudness
  }

  /// Live input that the box reports as heard.
  var heard: String?
  /// Since when each discrepancy lasts.
  var wrongSince = WrongSince(Concern.allCases.count)
  /// When an action or condition last may have prevented a live input.
  var hinderedAt: UInt64 = 0
  /// Live input that was heard when the card was lost, when that was, and since when there is a card again.
  var lost: (name: String, at: UInt64, backAt: UInt64?)?
}

extension BoxOracle {
  /// Nanoseconds from the end of a live input's sound until the box must end it.
  private static let farewell: UInt64 = 2_600_000_000
  /// Nanoseconds from the first sound until a live input must be heard; its delay is buffered first.
  private static let welcome: UInt64 = 1_500_000_000

  /// Checks live inputs. Called after each turn of the control thread.
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

  /// Checks that the live input heard when the card was lost is heard again once there is a card.
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

  /// Notes conditions under which a live input may end or stay silent until it sounds again.
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

  /// Checks that a live input with `takes-over always` is heard soon after it begins.
  private func judgeWelcome(_ outside: SimulatedBoxes) {
    // After a shorter pause the sound counts as the same, which the user may have dismissed.
    for sender in outside.senders
    where sender.isSounding && sender.takesOverAlways && sender.formerPause > Self.farewell {
      let due = sender.since + Self.welcome
      // A live input that began later replaces it.
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

  /// Checks that, in steady state, a live input has the gain of the volume.
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
