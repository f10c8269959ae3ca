// Judges what comes back after a loss of power, against what there was before it. One thread.

import PlaybackModel

extension BoxOracle {
  /// How long a change may be on its way to the storage.
  private static let delay: UInt64 = 2_500_000_000
  /// The longest wait before storage that failed is tried again, and a little.
  private static let retry: UInt64 = 75_000_000_000

  func flashChanged(to health: FlashHealth) {
    if health == .well {
      troubleEndedAt = oracle.now
    } else {
      if troubleSince == nil { troubleSince = oracle.now }
      troubleEndedAt = nil
    }
    if health == .hangs { hungAt = oracle.now }
  }

  /// Whether the flash takes nothing, or did so less than these nanoseconds ago.
  func hasTrouble(within nanoseconds: UInt64) -> Bool {
    guard troubleSince != nil || troubleEndedAt != nil else { return false }
    return troubleEndedAt.map { oracle.now < $0 + nanoseconds } ?? true
  }

  /// Whether somebody who waits since then may have waited for storage that hangs.
  func hasHung(since: UInt64) -> Bool {
    guard let hungAt else { return false }
    // Requests that hung time out one after the other.
    return max(since, troubleEndedAt ?? .max) >= hungAt
  }

  /// The box is about to lose its power.
  func willDie(_ death: Death, _ kept: Kept?, health: FlashHealth) {
    let now = oracle.now
    alarmsMayBeLost()
    if health == .well, let ended = troubleEndedAt, now > ended + Self.retry { troubleSince = nil }
    bookmarksMayBeLost()
    if death == .power { hadPower = false }
    // Storage that did not answer holds what it held.
    guard isRestored else { return }
    diedAt = kept == nil ? nil : now
    cues.isLoading = false
  }

  /// The box is on again. What it has taken up becomes what people want.
  func restored(_ kept: Kept?, hasStick: Bool) {
    var takenUp: MemoryTrail.Moment?
    defer {
      isRestored = true
      // Without a loss of power the kernel still has what it did not get written, and what was before it may come back.
      if hadPower { memory.readQueueAgain() } else { memory.restart() }
      hadPower = true
      // Storage in trouble still holds it when the power goes again, whatever a press has made of it before it was read,
      // or makes of it at once.
      if let takenUp { memory.note(takenUp.kept, takenUp.intent, at: now) }
      if let kept { memory.note(kept, oracle.intent, at: now) }
    }
    guard let diedAt, let kept, !memory.moments.isEmpty else { return }
    let stall = stalledUntil > diedAt ? Self.delay : 0
    let trouble = min(troubleSince ?? .max, diedAt)
    let reach = UInt64((settings.interval + 1.5) * 1e9)
    let changed = min(diedAt, trouble) - min(trouble, Self.delay + stall + (trouble < diedAt ? reach : 0))
    let moved = trouble - min(trouble, reach + stall)
    let moments = memory.moments
    // A box that took commands before may have been told another one.
    let comparesVolume = settings.night == nil && openedAt == nil && !mayRing(at: diedAt)
    let isSilenced = openedAt != nil && oracle.intent.hold != nil
    let isBegun = openedAt != nil && oracle.intent.hold == nil
    for place in moments.indices.reversed() {
      // It held until the next.
      let until = place + 1 < moments.count ? moments[place + 1].time : diedAt
      guard until >= changed else { break }
      let moment = moments[place]
      // Whoever has asked for silence meanwhile has it, and whoever has pressed play has music.
      let isSame =
        moment.kept.isSame(as: kept, comparesVolume: comparesVolume)
        || (isSilenced && kept.isSilenced(of: moment.kept, comparesVolume: comparesVolume))
        || (isBegun && kept.isBegun(after: moment.kept, comparesVolume: comparesVolume))
      guard
        (isSame && isPlace(kept, near: moment, since: moved))
          || (!hasStick && kept.isRest(of: moment.kept, comparesVolume: comparesVolume))
      else { continue }
      // Who has pressed play meanwhile means what was remembered.
      // Somebody may have asked for silence as well.
      oracle.takeUp(
        moment.intent, andPlays: oracle.intent.hold == nil, mayStaySilent: openedAt.map { $0 < now } ?? false)
      takenUp = moment
      return
    }
    // Nothing is taken up that cannot be reached, or that was not written yet.
    if kept.mode == .nothing, kept.current == nil ? diedAt < nothingUntil : !hasStick {
      return oracle.takeUp(Intent())
    }
    oracle.fail(
      .memory, expected: moments.last.map { $0.kept.text } ?? "", found: kept.text)
  }

  /// Somebody has put something else in place of what was remembered, which the storage holds until that is written.
  func replaced() {
    isRestored = true
    if memory.moments.isEmpty { nothingUntil = now + Self.delay }
    memory.readQueueAgain()
  }

  /// Whether a position is one at which the same thing was within the last while.
  private func isPlace(_ kept: Kept, near moment: MemoryTrail.Moment, since: UInt64) -> Bool {
    switch moment.kept.mode {
    case .nothing, .ended: return true
    case .track, .fade: break
    }
    guard moment.kept.mode.plays else {
      // The exact frame of a pause is known when it is heard, a little after the pause.
      let isFresh = diedAt.map { $0 < moment.time + Self.delay } ?? false
      return abs(kept.position - moment.kept.position) <= (isFresh ? rate / 4 : 2)
    }
    return memory.moments.contains { other in
      other.time >= since && other.kept.mode == moment.kept.mode
        && abs(other.kept.position - kept.position) <= rate / 2
    }
  }
}
