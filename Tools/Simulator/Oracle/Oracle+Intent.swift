// Checks positions, transitions and gains against what is heard, and what is heard against the intent. One thread.

import PlaybackModel

extension Oracle {
  /// Whether nothing has been heard since a track's last frame a moment ago.
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
      // The final position of a pause is reported one turn of the audio loop later.
      guard now > voice.heardAt + 100_000_000 else { return }
      let (claimed, heard) = (Int(position.count), voice.next)
      // After a card failure, the number of frames heard is known only approximately.
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

  /// The only voice of a track that still has a ring; nil if there are several.
  private func voice(_ number: Int?) -> Voice? {
    let all = tracker.voices.filter { $0.track == number && !$0.isGone }
    return all.count == 1 ? all[0] : nil
  }

  /// Frames of a ramp that rounding may hide while a cue sounds.
  private func faintFrames(at time: UInt64) -> Int {
    let isBeside = tracker.ear.heard.suffix(4).contains { $0.time <= time && time < $0.time + 1_500_000_000 }
    return isBeside ? world.rate / 100 : 0
  }

  private func judge(_ claimed: Int64, of track: Track?, role: Int) {
    guard let voice = voice(number(track)), voice.isSane, intent.seek == nil, tracker.grip == .firm else {
      return
    }
    // After a card failure, the number of frames heard is known once more of the track is heard.
    if voice.heardAt < faultAt { return }
    // Frames heard but not yet attributed to a voice count as this one's.
    let heard = voice.next + tracker.doubt.count
    // The first frames of a fade are too quiet to be recognized.
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

  // MARK: Intent

  /// Handles a press just after a change of state that gave it another meaning: a toggle in `failed` retries, and a
  /// skip in `paused` plays.
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
    // Sound after a late start may be the ramp down of a pause requested since.
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
    // A short track may be over and forgotten before this check.
    if tracker.voices.contains(where: { $0.track == skip.track && $0.heardAt > skip.at }) {
      intent.hearSkip()
    }
    if claims.state.pauseReason == .outputLost { intent.putOffSkip(to: now) }
    guard intent.hold == nil, lastActionAt == skip.at, now > skip.since + 6_000_000_000 else { return }
    let plan = world.tracks[skip.track]
    intent.forgetSkip()
    // A `next` at the very end of a track may lead to the one after the next.
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

  /// Checks that, in steady state, the gain equals the volume. The first frame of a fade may look like the outgoing
  /// track alone.
  private func judgeGain(_ state: PlayerState) {
    let volume = tracker.circumstances.volume
    let gain = steadyGain(state) ?? volume
    watch(
      .gain, isWrong: abs(gain - volume) > 1e-4 * volume + 1e-7, for: 20_000_000,
      expected: "the volume, \(volume)", found: "\(gain)")
  }

  /// The overall gain in steady state; nil if something may change it or it cannot be determined.
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

  // MARK: Transitions

  /// Checks that a track that followed automatically is one the queue offered.
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

  /// Checks that there is no gap before a track that was ready well before the previous one ended.
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
      // Each entry is valid until the next.
      let until = index + 1 < followers.count ? followers[index + 1].time : now
      guard until + margin > edge.time, entry.time < edge.time + margin else { continue }
      for offer in [entry.current, entry.following] {
        if let offer, !offers.contains(offer) { offers.append(offer) }
      }
    }
    // A track that a user moved to plays even if it is removed from the queue before it is heard.
    let isChosen = edge.track == choice.track
    if isChosen { choice.track = nil }
    if !offers.isEmpty, !offers.contains(edge.track), !isChosen {
      fail(.wrongTrack, expected: "track \(offers), as the queue has it", found: "track \(edge.track) begins")
    }
  }
}

extension Oracle {
  /// Final check, after a long time without actions or faults: the subject must be in the state that was requested.
  func judgeEnd(_ claims: Claims) {
    guard intent.hold == nil else { return }
    // Between tracks of a few milliseconds it may be silent at this moment.
    let isHeard = tracker.voices.contains { $0.heardAt + 1_000_000_000 > now }
    switch claims.state {
    case .playing, .preparingCrossfade, .crossfading, .fadingOut:
      if !isHeard {
        fail(
          .unanswered, expected: "music, which was asked for", found: "silence in \(claims.state.kind.name)")
      }
    // End of the queue, or nothing playable.
    case .finished, .failed: break
    // End of the queue after a restart.
    case .idle(.some, _): break
    case .idle:
      // A bare player is not loaded with its first track here.
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
