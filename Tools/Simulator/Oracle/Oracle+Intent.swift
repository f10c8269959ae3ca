// What the oracle compares: positions, edges, and what was asked for, with what is heard. One thread.

import PlaybackModel

extension Oracle {
  /// Whether nothing is heard since a track's last frame, a moment ago.
  var hasJustEnded: Bool {
    guard tracker.sounding.isEmpty, let last = tracker.edges.last, last.kind == .ended else { return false }
    return now < last.time + 100_000_000
  }

  // MARK: Positions

  func judgePositions(_ claims: Claims) {
    let state = claims.state
    guard now > faultAt + ExcuseWindow.faultPosition.bound, now < lastFrame + 40_000_000 || !state.isActive
    else { return }
    switch state {
    case .playing, .preparingCrossfade, .crossfading, .fadingOut:
      judge(claims.moment.current.count, of: state.currentTrack, role: 0)
      if let next = claims.moment.next, let track = state.nextTrack { judge(next.count, of: track, role: 1) }
    case .paused(let track, let position, _):
      guard case .silence = tracker.sound, now > stateSince + 600_000_000, let voice = voice(number(track)),
        tracker.grip == .firm
      else { return }
      // That it has come to rest is told a turn of the audio loop later.
      guard now > voice.heardAt + 100_000_000 else { return }
      let (claimed, heard) = (Int(position.count), voice.next)
      // How much of what a card had was heard when it stopped is known roughly.
      if faultAt + 1_500_000_000 > voice.heardAt { return }
      if claimed > heard + 2 + tracker.ordersInSilence + faintFrames(at: voice.heardAt), voice.heardAt > 0 {
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

  /// How many frames of a ramp cannot be told from what rounding leaves of a sound of the box's own that is heard beside it.
  private func faintFrames(at time: UInt64) -> Int {
    let isBeside = tracker.ear.heard.suffix(4).contains { $0.time <= time && time < $0.time + 1_500_000_000 }
    return isBeside ? world.rate / 100 : 0
  }

  private func judge(_ claimed: Int64, of track: Track?, role: Int) {
    guard let voice = voice(number(track)), voice.isSane, intent.seek == nil, tracker.grip == .firm else {
      return
    }
    // How much of what a card had was heard when it stopped is known as soon as the rest is heard.
    if voice.heardAt < faultAt { return }
    // What has been heard and is not explained yet belongs to somebody.
    let heard = voice.next + tracker.doubt.count
    // The first frames of a fade are too quiet to be told from none.
    let isFaint = (role == 1 || stateKey?.kind == .fadingOut) && now < stateSince + 60_000_000
    let ahead = world.rate / 500 + 2 + (isFaint ? world.rate / 20 : 0) + faintFrames(at: now)
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

  /// A press came just behind a change of state that gives it another meaning: in `failed` a toggle tries again, and in `paused` a
  /// skip plays.
  private func noteLatePress(_ claims: Claims) {
    guard intent.hold == .user, now < lastActionAt + reaction + 50_000_000 else { return }
    let trail = claims.trail
    let isStart = (0..<trail.count).contains { index in
      guard trail[index].time >= lastActionAt else { return false }
      switch (trail[index].event.kind, trail[index].from.kind) {
      case (.toggle, .failed): return true
      case (.skip, .paused): return trail[index].to.isActive
      default: return false
      }
    }
    if isStart { intent.begin(nil, at: now) }
  }

  func judgeIntent(_ claims: Claims) {
    noteLatePress(claims)
    let sounding = soundingTracks
    // What is still heard is on its way into a pause that was asked for since.
    let isSilenced = intent.hold != nil && (now > intent.holdsFrom || intent.holdsFrom == .max)
    if now < abandonedPlayUntil, isSilenced, claims.state.isActive, !sounding.isEmpty {
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
    // Whoever asks for the next track as one ends may get the one behind that.
    let isAtAnEnd = tracker.edges.contains {
      $0.kind == .ended && $0.time < skip.at + reaction && skip.at < $0.time + reaction
    }
    guard max(faultAt, diedAt) < skip.at, plan.fault == .none, plan.length > world.rate, !skip.isHeard,
      !isCardLost,
      !isAtAnEnd,
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
      now > faultAt + ExcuseWindow.faultGain.bound, !isCardLost,
      now > (tracker.edges.last?.time ?? 0) + 300_000_000,
      !tracker.circumstances.mayBeStrange(at: now)
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
  func judgeEdges() {
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
    let ready = end.time - min(end.time, max(500_000_000, reaction))
    guard lastActionAt < ready, faultAt < ready, controlStalledUntil < ready,
      decoders?.wasReady(edge.voice, before: ready) == true,
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
