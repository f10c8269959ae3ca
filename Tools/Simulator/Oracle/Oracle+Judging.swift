// Checks of the reported state against the sound, after each turn of the control thread. One thread.

import PlaybackModel

extension Oracle {
  /// Checks a new set of claims.
  func look(_ claims: Claims) {
    self.claims = claims
    judgeStrangeTarget(claims.trail)
    if choice.isDue { choice = (claims.current, false) }
    // A box has fade settings from its configuration, too.
    if world.box != nil { settings = claims.fades }
    if let gain = claims.gain, gain != tracker.circumstances.volume { volumeChanged(to: gain) }
    followVolume()
    followState(claims.state, claims.moment)
    followers.append((now, claims.current, claims.following))
    if followers.count > 400 { followers.removeFirst(200) }
    judgeParts(claims)
    judgeSound(claims)
    judgeRemoved(claims)
    judgePositions(claims)
    judgeIntent(claims)
    judgeEdges()
    judgeDeaths(claims)
  }

  private func followVolume() {
    let circumstances = tracker.circumstances
    guard circumstances.ceiling > circumstances.volume, circumstances.isVolumeDue(at: now),
      now > audioStalledUntil + circumstances.reaction, tracker.loudness <= circumstances.volume * 1.001
    else { return }
    tracker.learn { $0.circumstances.dropCeiling() }
  }

  func number(_ track: Track?) -> Int? { track.flatMap { SimulatedDecoders.number($0.path) } }

  var reaction: UInt64 { tracker.circumstances.reaction }

  /// Numbers of the tracks that are audible now.
  var soundingTracks: [Int] {
    guard now < lastFrame + 40_000_000 else { return [] }
    return tracker.sounding.filter { tracker.voices[$0].gain > 0 }.map { tracker.voices[$0].track }
  }

  // MARK: The state

  private func followState(_ state: PlayerState, _ moment: Moment) {
    // A box learns its saved state some time after power-on.
    let isFirstLook = stateKey == nil || stateKey?.kind == .idle
    let key = StateKey(kind: state.kind, current: state.currentTrack?.id, next: state.nextTrack?.id)
    if key != stateKey {
      let former = stateKey?.kind
      stateKey = key
      stateSince = now
      let isProgress =
        (former == .preparingCrossfade && key.kind == .crossfading)
        || (former == .crossfading && key.kind == .playing) || key.kind == .preparingCrossfade
      if !isProgress { disturb() }
      if !state.isCrossfadeRelated { tracker.learn { $0.heldFade = nil } }
    }
    // An underrun is ramped out, and a command's own ramp may begin on the same frame.
    if state.kind == .buffering {
      let until = max(tracker.circumstances.faultUntil, now + ExcuseWindow.dryRamp.bound)
      tracker.circumstances.faultUntil = until
    }
    announceFades(state, moment, isFirstLook: isFirstLook)
  }

  private func announceFades(_ state: PlayerState, _ moment: Moment, isFirstLook: Bool) {
    var announced: Circumstances.AnnouncedFade?
    switch state {
    case .preparingCrossfade(let current, let next, let plan):
      if let from = number(current), let to = number(next) {
        announced = .init(
          from: from, to: to, fade: plan.fade, isManual: plan.trigger == .manual,
          armedAt: plan.isArmed ? now : nil)
      }
    case .crossfading(let from, let to, let curve, let progress, let pace):
      if let from = number(from), let to = number(to) {
        if isFirstLook {
          // The fade was restored from a checkpoint.
          hold(
            .init(
              from: from, to: to, fade: Fade(length: progress.length, curve: curve),
              place: Int(progress.index.count),
              fromFrame: moment.current, toFrame: moment.next ?? .zero, isQuick: pace == .quick))
        }
        announced = .init(from: from, to: to, fade: Fade(length: progress.length, curve: curve), armedAt: nil)
      }
    case .crossfadePaused(let from, let to, _, let snapshot, _):
      if let from = number(from), let to = number(to) {
        hold(
          .init(
            from: from, to: to, fade: snapshot.fade, place: Int(snapshot.progress.index.count),
            fromFrame: snapshot.fromPosition, toFrame: snapshot.toPosition))
      }
    // Without a state of its own, an automatic fade may still begin during the ramp down of a pause, underrun or
    // stop.
    case .paused(let track, _, _), .buffering(let track, _), .fadingOut(let track, _):
      hold(nil)
      if let from = number(track), let to = claims?.following,
        let fade = settings.fade(track.length, claims?.followingLength, rate: world.rate)
      {
        announced = .init(from: from, to: to, fade: fade, armedAt: nil)
      }
    default: if !state.isCrossfadeRelated { hold(nil) }
    }
    var fades = tracker.circumstances.fades
    // A fade armed before a stop was requested may still begin during the ramp down.
    let isEnding = state.kind == .fadingOut
    for i in fades.indices where fades[i].endedAt == nil && !isEnding {
      let isSame = announced.map {
        fades[i].from == $0.from && fades[i].to == $0.to && fades[i].fade == $0.fade
          && ($0.armedAt == nil || fades[i].isManual == $0.isManual)
      }
      if isSame == true {
        if fades[i].armedAt == nil { fades[i].armedAt = announced?.armedAt }
        announced = nil
      } else {
        fades[i].endedAt = now
      }
    }
    fades.removeAll { fade in fade.endedAt.map { $0 + 2_000_000_000 < now } ?? false }
    if let announced { fades.append(announced) }
    if fades != tracker.circumstances.fades { tracker.learn { $0.circumstances.fades = fades } }
  }

  private func hold(_ fade: Circumstances.HeldFade?) {
    guard fade != tracker.circumstances.heldFade else { return }
    tracker.learn { $0.circumstances.heldFade = fade }
  }

  private func judgeParts(_ claims: Claims) {
    if claims.contradictions > 0 {
      let last = claims.history().last { $0.hasSuffix("REJECTED") } ?? ""
      fail(.contradiction, expected: "no rejected report", found: last)
    }
    if !claims.state.isValid { fail(.invalidState, expected: "a valid state", found: "\(claims.state)") }
    guard let decoders else { return }
    if decoders.alive > bounds.decoders || decoders.mapped > bounds.rings {
      fail(
        .resources, expected: "\(bounds.decoders) decoders at work, \(bounds.rings) mapped",
        found: "\(decoders.alive) at work, \(decoders.mapped) mapped")
    }
    if scheduler.population > bounds.timers || scheduler.openDescriptors > bounds.descriptors {
      fail(
        .resources, expected: "a handful of timers and descriptors",
        found: "\(scheduler.population) timers and watches, \(scheduler.openDescriptors) descriptors")
    }
    if decoders.pool.misused > 0 {
      fail(.releasedRing, expected: "nobody writes to rings that were given back", found: "a write to one")
    }
  }

  // MARK: State and sound

  private func judgeSound(_ claims: Claims) {
    let state = claims.state
    let sounding = soundingTracks
    let isMoving: Bool
    var allowed: [Int?] = []
    switch state {
    case .playing(let track), .fadingOut(let track, _): (isMoving, allowed) = (true, [number(track)])
    case .preparingCrossfade(let current, _, _): (isMoving, allowed) = (true, [number(current)])
    case .crossfading(let from, let to, _, _, _): (isMoving, allowed) = (true, [number(from), number(to)])
    default: isMoving = false
    }
    let stop: UInt64 = 230_000_000
    watch(
      .soundInSilence,
      // A deck that ran dry resumes on its own once its ring is filled; the state follows.
      isWrong: !isMoving && !sounding.isEmpty && now > max(audioStalledUntil, controlStalledUntil),
      for: stop + reaction,
      expected: "silence in \(state.kind.name)", found: "track \(sounding)")
    // Sound that the tracker lost does not count as silence.
    let isExcused =
      isCardLost || now < faultAt + 1_500_000_000 || isStarving(sounding, allowed) || tracker.isLost
      // The control thread, which would report the end of the track, is stalled.
      || now <= controlStalledUntil
    // A restored fade begins when both tracks are ready, and is shown as loading until then.
    let isTakenUp = state.kind == .crossfading && claims.isLoading
    var isFading = false
    if case .fadingOut = state { isFading = true }
    watch(
      .silenceInSound, isWrong: isMoving && !isFading && sounding.isEmpty && !isExcused && !isTakenUp,
      for: 300_000_000 + reaction, expected: "sound in \(state.kind.name)", found: "silence")
    let isForeign = isMoving && !isFading && !isExcused && sounding.contains { !allowed.contains($0) }
    let incoming = state.kind == .crossfading ? allowed.last ?? nil : nil
    // A track of unknown length, or with a truncated file, may end within its own fade, which continues without it.
    let isMissing =
      isMoving && !sounding.isEmpty && !isExcused && !isFading
      && incoming.map { !sounding.contains($0) && world.tracks[$0].tellsLength && !hasEndedEarly($0) } == true
    watch(
      .stateTrack, isWrong: isForeign || isMissing, for: 350_000_000 + reaction,
      expected: "track \(allowed.map { $0 ?? -1 }) in \(state.kind.name)", found: "track \(sounding)")
    judgeDuration(state, isTakenUp: isTakenUp && sounding.isEmpty)
  }

  /// Checks that a removed track is not heard longer than the ramp or fade of its removal.
  private func judgeRemoved(_ claims: Claims) {
    // The removed track plays until the incoming track of the fade is cued.
    if case .preparingCrossfade = claims.state {
      removedSince = WrongSince(world.tracks.count)
      return
    }
    let length = claims.state.fadeProgress?.length.count ?? 0
    let running = UInt64(max(0, length)) * 1_000_000_000 / UInt64(world.rate)
    let sounding = soundingTracks
    // A fade in progress keeps its length when a shorter one is set.
    if sounding.allSatisfy({ claims.contents.numbers.contains($0) }) { removedFade = 0 }
    removedFade = max(removedFade, claims.contents.maxFade, running)
    let bound = 600_000_000 + removedFade + reaction
    let isStalled = now <= max(audioStalledUntil, controlStalledUntil)
    for track in world.tracks.indices {
      let isWrong = sounding.contains(track) && !claims.contents.numbers.contains(track) && !isStalled
      guard let since = removedSince.note(track, isWrong, at: now), now - since > bound else { continue }
      fail(
        .removed, expected: "none but \(claims.contents.numbers.sorted())",
        found: "track \(track), which was removed, in \(claims.state.kind.name)")
    }
  }

  /// Whether the end of a track's truncated file has been heard, except for a ramp.
  private func hasEndedEarly(_ track: Int) -> Bool {
    tracker.voices.contains { voice in
      voice.track == track && truncations[track]?.contains(voice.end) == true
        && voice.next + 2 * tracker.circumstances.declick >= voice.end
    }
  }

  /// Whether a track that should be heard may lack data.
  private func isStarving(_ sounding: [Int], _ allowed: [Int?]) -> Bool {
    guard let decoders else { return false }
    return tracker.voices.contains { voice in
      !voice.isGone && allowed.contains(voice.track)
        && (!voice.isSane || decoders.isShort(voice.id, at: voice.next))
    }
  }

  private func judgeDuration(_ state: PlayerState, isTakenUp: Bool) {
    let isPending: Bool
    switch state {
    case .preparing, .seeking, .buffering: isPending = true
    case .fadingOut(_, let duration):
      isPending =
        now > stateSince + UInt64(duration.count) * 1_000_000_000 / UInt64(world.rate) + 2_000_000_000
    default: isPending = isTakenUp
    }
    // A wait may be followed by another, for the next track or another position.
    if state.awaitedPlace != awaited.place { awaited = (state.awaitedPlace, now) }
    let since = max(faultAt + 2_000_000_000, stateSince, awaited.since)
    if isPending, now > since + 20_000_000_000 {
      fail(.stuck, expected: "an end of \(state.kind.name)", found: "\(state.displayText), for 20 s")
    }
  }
}

extension PlayerState {
  /// Position at which a decoder is awaited; nil if none is.
  fileprivate var awaitedPlace: Frames? {
    switch self {
    case .preparing(_, _, let place), .seeking(_, let place, _): place
    default: nil
    }
  }
}
