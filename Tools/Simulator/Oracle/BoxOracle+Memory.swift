// Oracle for saved state: compares what the box restores after a restart with what it had before. One thread.

import PlaybackModel

extension BoxOracle {
  /// Nanoseconds until a change is stored.
  private static let delay: UInt64 = 2_500_000_000
  /// Longest time until a failed write is retried, with a margin, in nanoseconds.
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

  /// Whether the flash fails now, or did less than `nanoseconds` ago.
  func hasTrouble(within nanoseconds: UInt64) -> Bool {
    guard troubleSince != nil || troubleEndedAt != nil else { return false }
    return troubleEndedAt.map { oracle.now < $0 + nanoseconds } ?? true
  }

  /// Whether a request pending since a time may have been delayed by hung storage.
  func hasHung(since: UInt64) -> Bool {
    guard let hungAt else { return false }
    // Requests that hung time out one after the other.
    return max(since, troubleEndedAt ?? .max) >= hungAt
  }

  /// Prepares for the end of the process: determines what must have been saved.
  func willDie(_ death: Death, _ kept: Kept?, health: FlashHealth) {
    let now = oracle.now
    alarmsMayBeLost()
    if health == .well, let ended = troubleEndedAt, now > ended + Self.retry { troubleSince = nil }
    bookmarksMayBeLost()
    if death == .power { hadPower = false }
    // If the saved state was not restored yet, the storage still holds the earlier one.
    guard isRestored else { return }
    diedAt = kept == nil ? nil : now
    cues.isLoading = false
  }

  /// Checks the restored state and makes it the expected intent.
  func restored(_ kept: Kept?, hasStick: Bool) {
    var takenUp: MemoryTrail.Moment?
    defer {
      isRestored = true
      // Without a power cut, unwritten data is still in the page cache, and an earlier state may be restored later.
      if hadPower { memory.readQueueAgain() } else { memory.restart() }
      hadPower = true
      // If the storage fails, a later restart may still find the restored state, whatever a press changed before it
      // was read or right after.
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
    // If the box took commands before restoring, the volume may have been set since.
    let comparesVolume = settings.night == nil && openedAt == nil && !mayRing(at: diedAt)
    let isSilenced = openedAt != nil && oracle.intent.hold != nil
    let isBegun = openedAt != nil && oracle.intent.hold == nil
    for place in moments.indices.reversed() {
      // Each recorded moment lasts until the next one.
      let until = place + 1 < moments.count ? moments[place + 1].time : diedAt
      guard until >= changed else { break }
      let moment = moments[place]
      // A user who stopped or pressed play before the restore gets silence or music accordingly.
      let isSame =
        moment.kept.isSame(as: kept, comparesVolume: comparesVolume)
        || (isSilenced && kept.isSilenced(of: moment.kept, comparesVolume: comparesVolume))
        || (isBegun && kept.isBegun(after: moment.kept, comparesVolume: comparesVolume))
      guard
        (isSame && isPlace(kept, near: moment, since: moved))
          || (!hasStick && kept.isRest(of: moment.kept, comparesVolume: comparesVolume))
      else { continue }
      // A press of play before the restore means the restored music; the user may also have asked for silence.
      oracle.takeUp(
        moment.intent, andPlays: oracle.intent.hold == nil, mayStaySilent: openedAt.map { $0 < now } ?? false)
      takenUp = moment
      return
    }
    // Nothing is restored if its tracks are unreachable or nothing had been written yet.
    if kept.mode == .nothing, kept.current == nil ? diedAt < nothingUntil : !hasStick {
      return oracle.takeUp(Intent())
    }
    oracle.fail(
      .memory, expected: moments.last.map { $0.kept.text } ?? "", found: kept.text)
  }

  /// Notes that a user replaced the saved state before it was restored; the storage holds it until the next write.
  func replaced() {
    isRestored = true
    if memory.moments.isEmpty { nothingUntil = now + Self.delay }
    memory.readQueueAgain()
  }

  /// Whether a restored position is close to a position that the same track or fade had since `since`.
  private func isPlace(_ kept: Kept, near moment: MemoryTrail.Moment, since: UInt64) -> Bool {
    switch moment.kept.mode {
    case .nothing, .ended: return true
    case .track, .fade: break
    }
    guard moment.kept.mode.plays else {
      // A pause's exact frame is known only when it is heard, slightly after the request.
      let isFresh = diedAt.map { $0 < moment.time + Self.delay } ?? false
      return abs(kept.position - moment.kept.position) <= (isFresh ? rate / 4 : 2)
    }
    return memory.moments.contains { other in
      other.time >= since && other.kept.mode == moment.kept.mode
        && abs(other.kept.position - kept.position) <= rate / 2
    }
  }
}
