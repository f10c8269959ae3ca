// What the oracle compares whenever the control side has done something: state, sound and intent. One thread.

import PlaybackModel

extension Oracle {
  /// Judges what the machine says of itself now.
  func look(_ claims: Claims) {
    self.claims = claims
    if let early = earlyTarget, early.at < now {
      earlyTarget = nil
      fail(early.violation)
    }
    if choice.isDue { choice = (claims.current, false) }
    // A box has them from its configuration, too.
    if world.box != nil { settings = claims.fades }
    if let gain = claims.gain, gain != tracker.circumstances.volume { volumeChanged(to: gain) }
    followVolume()
    followState(claims.state, claims.moment)
    followers.append((now, claims.current, claims.following))
    if followers.count > 400 { followers.removeFirst(200) }
    judgeParts(claims)
    judgeSound(claims.state)
    judgePositions(claims)
    judgeIntent(claims)
    judgeEdges()
  }

  private func followVolume() {
    let circumstances = tracker.circumstances
    guard circumstances.ceiling > circumstances.volume, circumstances.isVolumeDue(at: now),
      now > audioStalledUntil + circumstances.reaction, tracker.loudness <= circumstances.volume * 1.001
    else { return }
    tracker.learn { $0.circumstances.dropCeiling() }
  }

  func number(_ track: Track?) -> Int? { track.flatMap { SimulatedDecoders.number($0.path) } }

  private var reaction: UInt64 { tracker.circumstances.reaction }

  /// Tracks that sound at this moment.
  var soundingTracks: [Int] {
    guard now < lastFrame + 40_000_000 else { return [] }
    return tracker.sounding.filter { tracker.voices[$0].gain > 0 }.map { tracker.voices[$0].track }
  }

  // MARK: The state

  private func followState(_ state: PlayerState, _ moment: Moment) {
    let isFirstLook = stateKey == nil
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
    // What runs dry is ramped out, and an order's own ramp may begin on the same frame.
    if state.kind == .buffering {
      let until = max(tracker.circumstances.faultUntil, now + 300_000_000)
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
          // It was taken up from a checkpoint.
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
    // Placed without a state of its own: the ramp into the pause, or into silence, may still reach it.
    case .paused(let track, _, _), .buffering(let track, _), .fadingOut(let track, _):
      hold(nil)
      if let from = number(track), let to = claims?.following, let fade = settings.fade(from, to, world) {
        announced = .init(from: from, to: to, fade: fade, armedAt: nil)
      }
    default: if !state.isCrossfadeRelated { hold(nil) }
    }
    var fades = tracker.circumstances.fades
    // What was armed before a stop was asked for may still begin while the ramp falls.
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

  private func judgeSound(_ state: PlayerState) {
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
      // A deck that has run dry sounds by itself once it is filled; the state learns of it.
      isWrong: !isMoving && !sounding.isEmpty && now > max(audioStalledUntil, controlStalledUntil),
      for: stop + reaction,
      expected: "silence in \(state.kind.name)", found: "track \(sounding)")
    // What is heard and not followed any more is no silence.
    let isExcused =
      isCardLost || now < faultAt + 1_500_000_000 || isStarving(sounding, allowed) || tracker.isLost
    var isFading = false
    if case .fadingOut = state { isFading = true }
    watch(
      .silenceInSound, isWrong: isMoving && !isFading && sounding.isEmpty && !isExcused,
      for: 300_000_000 + reaction, expected: "sound in \(state.kind.name)", found: "silence")
    let isForeign = isMoving && !isFading && !isExcused && sounding.contains { !allowed.contains($0) }
    let incoming = state.kind == .crossfading ? allowed.last ?? nil : nil
    // One whose length nobody tells may be over within its own fade.
    let isMissing =
      isMoving && !sounding.isEmpty && !isExcused && !isFading
      && incoming.map { !sounding.contains($0) && world.tracks[$0].tellsLength } == true
    watch(
      .stateTrack, isWrong: isForeign || isMissing, for: 350_000_000 + reaction,
      expected: "track \(allowed.map { $0 ?? -1 }) in \(state.kind.name)", found: "track \(sounding)")
    judgeDuration(state)
  }

  /// Whether a track that should sound may have nothing to sound with.
  private func isStarving(_ sounding: [Int], _ allowed: [Int?]) -> Bool {
    guard let decoders else { return false }
    return tracker.voices.contains { voice in
      !voice.isGone && allowed.contains(voice.track)
        && (!voice.isSane || decoders.isShort(voice.id, at: voice.next))
    }
  }

  private func judgeDuration(_ state: PlayerState) {
    let isPending: Bool
    switch state {
    case .preparing, .seeking, .buffering: isPending = true
    case .fadingOut(_, let duration):
      isPending =
        now > stateSince + UInt64(duration.count) * 1_000_000_000 / UInt64(world.rate) + 2_000_000_000
    default: isPending = false
    }
    // One wait may follow upon another: for the next track, or for another place.
    if state.awaitedPlace != awaited.place { awaited = (state.awaitedPlace, now) }
    let since = max(faultAt + 2_000_000_000, stateSince, awaited.since)
    if isPending, now > since + 20_000_000_000 {
      fail(.stuck, expected: "an end of \(state.kind.name)", found: "\(state.displayText), for 20 s")
    }
  }

  // MARK: Positions

  private func judgePositions(_ claims: Claims) {
    let state = claims.state
    guard now > faultAt + 1_000_000_000, now < lastFrame + 40_000_000 || !state.isActive else { return }
    switch state {
    case .playing, .preparingCrossfade, .crossfading, .fadingOut:
      judge(claims.moment.current.count, of: state.currentTrack, role: 0)
      if let next = claims.moment.next, let track = state.nextTrack { judge(next.count, of: track, role: 1) }
    case .paused(let track, let position, _):
      guard case .silence = tracker.sound, now > stateSince + 600_000_000, let voice = voice(number(track))
      else { return }
      // That it has come to rest is told a turn of the audio loop later.
      guard now > voice.heardAt + 100_000_000 else { return }
      let (claimed, heard) = (Int(position.count), voice.next)
      // How much of what a card had was heard when it stopped is known roughly.
      if faultAt + 1_500_000_000 > voice.heardAt { return }
      if claimed > heard + 2 + tracker.ordersInSilence, voice.heardAt > 0 {
        fail(
          .positionAhead, expected: "position \(heard) of track \(voice.track), paused", found: "\(claimed)")
      } else if claimed < heard - 2, voice.heardAt > 0 {
        fail(
          .positionBehind, expected: "position \(heard) of track \(voice.track), paused", found: "\(claimed)")
      }
    default: break
    }
  }

  /// The voice of a track: the one that sounds, or else the one that was heard last.
  private func voice(_ number: Int?) -> Voice? {
    let all = tracker.voices.filter { $0.track == number && !$0.isGone }
    return all.count == 1 ? all[0] : nil
  }

  private func judge(_ claimed: Int64, of track: Track?, role: Int) {
    guard let voice = voice(number(track)), voice.isSane, intent.seek == nil, !tracker.isLost else { return }
    // How much of what a card had was heard when it stopped is known as soon as the rest is heard.
    if voice.heardAt < faultAt { return }
    // What has been heard and is not explained yet belongs to somebody.
    let heard = voice.next + tracker.doubt.count
    // The first frames of a fade are too quiet to be told from none.
    let isFaint = (role == 1 || stateKey?.kind == .fadingOut) && now < stateSince + 60_000_000
    let ahead = world.rate / 500 + 2 + (isFaint ? world.rate / 20 : 0)
    if Int(claimed) > heard + ahead {
      fail(
        role == 1 ? .cuedPosition : .positionAhead,
        expected: "at most \(heard) of track \(voice.track), which is what was heard",
        found: "\(claimed) in \(stateKey?.kind.name ?? "")")
    }
    guard role == 0, !tracker.circumstances.isDisturbed(at: now), now > stateSince + 1_000_000_000 else {
      return
    }
    var behind = world.rate / 20
    if case .stepping(let step) = world.card.mode { behind += step }
    if case .batch(let step) = world.card.mode { behind += step }
    if Int(claimed) < heard - behind {
      fail(
        .positionBehind, expected: "at least \(heard - behind) of track \(voice.track)",
        found: "\(claimed) in \(stateKey?.kind.name ?? "")")
    }
  }

  // MARK: What was asked for

  private func judgeIntent(_ claims: Claims) {
    let sounding = soundingTracks
    if now < abandonedPlayUntil, intent.hold != nil, !sounding.isEmpty {
      abandonedPlayUntil = 0
      playsNow(claims)
    }
    let isHeld = intent.hold != nil && now > intent.holdsFrom
    watch(
      .unasked, isWrong: isHeld && !sounding.isEmpty, for: 500_000_000 + reaction,
      expected: "silence, held by \(intent.hold?.name ?? "")",
      found: "track \(sounding) in \(claims.state.kind.name)")
    judgeGain(claims.state)
    guard let skip = intent.skip else { return }
    // A short one may be over and forgotten before it is looked for.
    if tracker.voices.contains(where: { $0.track == skip.track && $0.heardAt > skip.at }) {
      intent.hearSkip()
    }
    if claims.state.pauseReason == .outputLost { intent.putOffSkip(to: now) }
    guard intent.hold == nil, lastActionAt == skip.at, now > skip.since + 6_000_000_000 else { return }
    let plan = world.tracks[skip.track]
    intent.forgetSkip()
    guard faultAt < skip.at, plan.fault == .none, plan.length > world.rate, !skip.isHeard, !isCardLost,
      decoders?.storage == 100, !(plan.isOnStick && decoders?.isStickOut == true), claims.state.isActive
    else { return }
    fail(
      .wrongTarget, expected: "track \(skip.track), which a person skipped to",
      found: "track \(sounding) in \(claims.state.kind.name)")
  }

  /// While nothing moves, the gain is the volume. The first frame of a fade may pass for one of the outgoing track alone.
  private func judgeGain(_ state: PlayerState) {
    let volume = tracker.circumstances.volume
    let gain = steadyGain(state) ?? volume
    watch(
      .gain, isWrong: abs(gain - volume) > 1e-4 * volume + 1e-7, for: 20_000_000,
      expected: "the volume, \(volume)", found: "\(gain)")
  }

  /// The gain of the whole where nothing moves it; nil where something may, or that cannot be told.
  private func steadyGain(_ state: PlayerState) -> Double? {
    guard now > tracker.circumstances.disturbedAt + reaction + 500_000_000, now > stateSince + 500_000_000,
      now > faultAt + 1_500_000_000, !isCardLost, now > (tracker.edges.last?.time ?? 0) + 300_000_000
    else { return nil }
    switch tracker.sound {
    case .one(let place) where state.kind == .playing || state.kind == .preparingCrossfade:
      let voice = tracker.voices[place]
      let isSound = decoders?.isShort(voice.id, at: voice.next) == false && voice.isSane
      return isSound ? voice.gain : nil
    case .fade where state.kind == .crossfading: return tracker.fade?.master
    default: return nil
    }
  }

  // MARK: Edges

  /// What followed by itself has to be what the queue had to offer.
  private func judgeEdges() {
    guard let last = tracker.edges.last, last.time > lastEdge else { return }
    for edge in tracker.edges where edge.time > lastEdge {
      switch edge.kind {
      case .joined, .fadeBegan: judgeFollower(edge)
      case .began:
        judgeGap(before: edge)
        if edge.track == choice.track { choice.track = nil }
      case .ended: lastEnd = edge
      default: break
      }
    }
    lastEdge = last.time
  }

  /// What was ready long before the track before it ended has no excuse for a gap.
  private func judgeGap(before edge: Edge) {
    guard let end = lastEnd, edge.frame == 0, edge.time < end.time + 2_000_000_000 else { return }
    lastEnd = nil
    let ready = end.time - min(end.time, 500_000_000)
    guard lastActionAt < ready, faultAt < ready, decoders?.wasReady(edge.voice, before: ready) == true,
      stateKey?.kind == .playing, !tracker.voices.contains(where: { !$0.isSane })
    else { return }
    let gap = (edge.time - end.time) * UInt64(world.rate) / 1_000_000_000
    fail(
      .gap, expected: "track \(edge.track) right after track \(end.track)",
      found: "a gap of \(gap) frames")
  }

  private func judgeFollower(_ edge: Edge) {
    let margin: UInt64 = 250_000_000 + reaction
    var offers: [Int] = []
    for (index, entry) in followers.enumerated() {
      // Each holds until the next.
      let until = index + 1 < followers.count ? followers[index + 1].time : now
      guard until + margin > edge.time, entry.time < edge.time + margin else { continue }
      for offer in [entry.current, entry.following] {
        if let offer, !offers.contains(offer) { offers.append(offer) }
      }
    }
    // What a person moved to is played also when it is removed from the queue before it is heard.
    let isChosen = edge.track == choice.track
    if isChosen { choice.track = nil }
    if !offers.isEmpty, !offers.contains(edge.track), !isChosen {
      fail(.wrongTrack, expected: "track \(offers), as the queue has it", found: "track \(edge.track) begins")
    }
  }
}

extension Oracle {
  /// The box was left alone for long with everything mended: it has to be where it was meant to be.
  func judgeEnd(_ claims: Claims) {
    guard intent.hold == nil else { return }
    // Between tracks of some milliseconds each it may be silent at this very moment.
    let isHeard = tracker.voices.contains { $0.heardAt + 1_000_000_000 > now }
    switch claims.state {
    case .playing, .preparingCrossfade, .crossfading, .fadingOut:
      if !isHeard {
        fail(
          .unanswered, expected: "music, which was asked for", found: "silence in \(claims.state.kind.name)")
      }
    // The queue's end, or nothing that can be played.
    case .finished, .failed: break
    // The same after a restart.
    case .idle(.some, _): break
    case .idle:
      // A bare player is told of its first track by others.
      if world.box != nil, claims.queueLength > 0 {
        fail(
          .unanswered, expected: "music, which was asked for",
          found: "\(claims.state.displayText) with \(claims.queueLength) tracks")
      }
    case .preparing, .buffering, .seeking:
      if now > stateSince + 20_000_000_000 {
        fail(.unanswered, expected: "music, which was asked for", found: claims.state.displayText)
      }
    case .ready, .paused, .crossfadePaused:
      fail(.unanswered, expected: "music, which was asked for", found: claims.state.displayText)
    }
  }
}

extension PlayerState {
  /// The place in a track at which its decoder is waited for.
  fileprivate var awaitedPlace: Frames? {
    switch self {
    case .preparing(_, _, let place), .seeking(_, let place, _): place
    default: nil
    }
  }
}
