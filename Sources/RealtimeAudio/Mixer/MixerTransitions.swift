// What changes between two stretches: commands that are due, ends of ramps, fades and tracks.
// Audio thread; may not lock or allocate.

import PlaybackModel

extension Mixer {
  /// Applies the commands of the present frame, then whatever ends on it.
  @_noLocks @_noAllocation
  mutating func applyDueCommands() {
    while let entry = timeline.takeDue(at: state.frame) {
      emit(.applied(id: entry.id))
      apply(entry.command)
    }
    passGate()
    guard !state.gate.isClosed else { return }
    passFade()
    passDeck(.a)
    passDeck(.b)
    // A join from B to A may find that A, too, is at its end.
    passDeck(.a)
    passJoin()
  }

  @_noLocks @_noAllocation
  mutating func emit(_ event: MixerEvent) {
    log.append(StampedEvent(event: event, positions: positions))
  }

  /// Reports what the player would take for progress: behind a closing gate it waits.
  @_noLocks @_noAllocation
  private mutating func emitProgress(_ event: MixerEvent) {
    if state.gate.isOpen { emit(event) } else { state.gate.hold(event) }
  }

  @_noLocks @_noAllocation
  private mutating func apply(_ command: MixerCommand) {
    let now = state.frame
    switch command {
    case .attach(let id, let ring, let index, let trackGain):
      var deck = Deck()
      deck.activity = .cued
      deck.ring = ring
      deck.index = index
      deck.trackGain = trackGain.factor
      state.decks[id] = deck
    case .start(let id, let ramp):
      start(id, ramp: ramp.count)
    case .stop(let id, let ramp):
      stop(id, ramp: ramp.count, releases: false)
    case .release(let id, let ramp):
      stop(id, ramp: ramp.count, releases: true)
    case .cue(let id, let index):
      guard state.decks[id].ring != nil else { return }
      state.decks[id].index = index
      state.decks[id].activity = .cued
    case .closeGate(let purpose, let ramp):
      guard !state.gate.isClosed else { return }
      state.gate.phase = .closing(purpose)
      state.gate.ramp = state.gate.ramp.turned(at: now, to: 0, fullLength: ramp.count)
    case .openGate(let ramp):
      if state.gate.isOpen { return }
      state.gate.phase = .open
      state.gate.ramp = state.gate.ramp.turned(at: now, to: 1, fullLength: ramp.count)
      while let event = state.gate.takeHeld() { emit(event) }
    case .join(let join):
      state.join = join
    case .beginFade(let from, let to, let length, let curve):
      state.join = .none
      beginFade(from: from, to: to, length: length.count, curve: curve)
    case .restoreFade(let from, let to, let length, let curve, let position):
      state.fade = FadeRun(from: from, to: to, curve: curve, length: length.count, position: position)
      start(from, ramp: 0)
      start(to, ramp: 0)
    case .quickFinish(let frames):
      state.fade?.retime(over: frames.count)
    case .collapse(let id, let ramp):
      collapse(onto: id, ramp: ramp.count)
    case .clear(let ramp):
      clear(ramp: ramp.count)
    case .hold(let current, let otherIndex):
      hold(current, otherIndex: otherIndex)
    case .rampIn(let ramp):
      guard state.gate.isOpen else { return }
      state.gate.ramp = Ramp(from: 0, to: 1, start: now, length: ramp.count)
    case .setVolume(let gain, let ramp):
      state.volume = Ramp(
        from: state.volume.value(at: now), to: gain.factor, start: now, length: ramp.count)
    case .setMono(let isMono):
      state.isMono = isMono
    }
  }

  @_noLocks @_noAllocation
  private mutating func start(_ id: DeckID, ramp: Int64) {
    guard state.decks[id].ring != nil else { return }
    let now = state.frame
    switch state.decks[id].activity {
    case .empty, .ended: return
    case .cued, .starved:
      state.decks[id].level = Ramp(from: ramp > 0 ? 0 : 1, to: 1, start: now, length: ramp)
    case .running, .stopping:
      state.decks[id].level = state.decks[id].level.turned(at: now, to: 1, fullLength: ramp)
    }
    state.decks[id].activity = .running
  }

  @_noLocks @_noAllocation
  private mutating func stop(_ id: DeckID, ramp: Int64, releases: Bool) {
    guard state.decks[id].ring != nil else {
      if releases { emit(.released(id)) }
      return
    }
    if state.decks[id].isAudible, !state.gate.isClosed {
      // The level takes over the fade's part, so that the ramp starts from what is heard.
      state.decks[id].level = Ramp(
        from: audibleLevel(id), to: 0, start: state.frame, length: ramp)
      state.decks[id].activity = .stopping(releases: releases)
    } else {
      silence(id, releases: releases)
    }
    dropFade(of: id)
  }

  /// The deck's level and fade gain together, at the present frame.
  @_noLocks @_noAllocation
  private func audibleLevel(_ id: DeckID) -> Float {
    let level = state.decks[id].level.value(at: state.frame)
    guard let fade = state.fade else { return level }
    let gains = fade.gains(after: 0)
    if fade.from == id { return level * gains.outgoing.factor }
    if fade.to == id { return level * gains.incoming.factor }
    return level
  }

  /// A fade without one of its decks is none; the other keeps its present gain and goes to full level.
  @_noLocks @_noAllocation
  private mutating func dropFade(of id: DeckID) {
    switch state.join {
    case .gapless(let from, let to) where from == id || to == id: state.join = .none
    case .crossfade(let from, let to, at: _, length: _, curve: _) where from == id || to == id: state.join = .none
    case .none, .gapless, .crossfade: break
    }
    guard let fade = state.fade, fade.from == id || fade.to == id else { return }
    let other = fade.from == id ? fade.to : fade.from
    let level = audibleLevel(other)
    state.fade = nil
    guard state.decks[other].isAudible else { return }
    if case .stopping = state.decks[other].activity { return }
    state.decks[other].level = Ramp(from: level, to: 1, start: state.frame, length: declick)
  }

  @_noLocks @_noAllocation
  private mutating func silence(_ id: DeckID, releases: Bool) {
    if releases {
      state.decks[id] = Deck()
      emit(.released(id))
    } else {
      state.decks[id].activity = .cued
      emit(.deckSilent(id, index: state.decks[id].index))
    }
  }

  @_noLocks @_noAllocation
  private mutating func beginFade(from: DeckID, to: DeckID, length: Int64, curve: FadeCurve) {
    state.fade = FadeRun(from: from, to: to, curve: curve, length: length)
    start(to, ramp: 0)
    emitProgress(.crossfadeBegan)
  }

  @_noLocks @_noAllocation
  private mutating func collapse(onto id: DeckID, ramp: Int64) {
    let other = id.other
    let now = state.frame
    let mine = audibleLevel(id)
    let theirs = audibleLevel(other)
    state.fade = nil
    state.join = .none
    if state.decks[id].isAudible {
      state.decks[id].level = Ramp(from: mine, to: 1, start: now, length: ramp)
    }
    guard state.decks[other].isAudible else { return }
    if state.gate.isClosed {
      silence(other, releases: false)
    } else {
      state.decks[other].level = Ramp(from: theirs, to: 0, start: now, length: ramp)
      state.decks[other].activity = .stopping(releases: false)
    }
  }

  /// Both decks go, with all that was held back; the gate is open for what comes next.
  @_noLocks @_noAllocation
  private mutating func clear(ramp: Int64) {
    let gate = state.gate.ramp.value(at: state.frame)
    release(.a, gate: gate, ramp: ramp)
    release(.b, gate: gate, ramp: ramp)
    state.fade = nil
    state.join = .none
    state.gate = Gate()
  }

  @_noLocks @_noAllocation
  private mutating func release(_ id: DeckID, gate: Float, ramp: Int64) {
    guard state.decks[id].ring != nil else { return }
    guard state.decks[id].isAudible, !state.gate.isClosed else { return silence(id, releases: true) }
    state.decks[id].level = Ramp(
      from: audibleLevel(id) * gate, to: 0, start: state.frame, length: ramp)
    state.decks[id].activity = .stopping(releases: true)
  }

  @_noLocks @_noAllocation
  private mutating func hold(_ id: DeckID, otherIndex: UInt64) {
    state.fade = nil
    state.join = .none
    state.gate.forgetHeld()
    state.decks[id].level = Ramp.constant(1)
    guard state.decks[id.other].ring != nil else { return }
    state.decks[id.other].activity = .cued
    state.decks[id.other].index = otherIndex
  }

  @_noLocks @_noAllocation
  private mutating func passGate() {
    guard case .closing(let purpose) = state.gate.phase, state.frame >= state.gate.ramp.end else { return }
    state.gate.phase = .closed
    switch purpose {
    case .pause: emit(.paused)
    case .finish: emit(.fadeOutCompleted)
    }
  }

  @_noLocks @_noAllocation
  private mutating func passFade() {
    guard let fade = state.fade, fade.isOver else { return }
    state.fade = nil
    if state.decks[fade.from].isAudible { state.decks[fade.from].activity = .ended }
    emitProgress(.crossfadeCompleted)
    // What befell the incoming track within the fade is news only now that it is the current one.
    switch state.decks[fade.to].activity {
    case .ended: emitProgress(.deckEnded(fade.to))
    case .starved: emitProgress(.starved(fade.to))
    case .empty, .cued, .running, .stopping: break
    }
  }

  /// Ends of ramps, of tracks and of waiting, on the present frame.
  @_noLocks @_noAllocation
  private mutating func passDeck(_ id: DeckID) {
    guard let ring = state.decks[id].ring else { return }
    switch state.decks[id].activity {
    case .empty, .cued, .ended:
      return
    case .starved:
      guard ring.holds(refill, from: state.decks[id].index) else { return }
      state.decks[id].activity = .running
      state.decks[id].level = Ramp(from: 0, to: 1, start: state.frame, length: declick)
      if state.fade == nil { emitProgress(.refilled(id)) }
    case .stopping(let releases):
      if state.frame >= state.decks[id].level.end { silence(id, releases: releases) }
    case .running:
      passRunning(id, ring: ring)
    }
  }

  @_noLocks @_noAllocation
  private mutating func passRunning(_ id: DeckID, ring: RingReader) {
    let index = state.decks[id].index
    if let end = ring.end {
      if index >= end { trackEnded(id) }
      return
    }
    switch ring.available(from: index) {
    case .corrupt:
      state.decks[id].activity = .ended
      emit(.ringCorrupt(id))
    case .frames(let count):
      let level = state.decks[id].level
      if level.to == 1, count <= Self.quantum + Int(declick) {
        // What is left carries a ramp: better a soft hole than a click.
        let length = min(declick, Int64(count))
        state.decks[id].level = Ramp(
          from: level.value(at: state.frame), to: 0, start: state.frame, length: length)
      } else if level.to == 0, state.frame >= level.end {
        state.decks[id].activity = .starved
        if state.fade == nil { emitProgress(.starved(id)) }
      }
    }
  }

  @_noLocks @_noAllocation
  private mutating func trackEnded(_ id: DeckID) {
    state.decks[id].activity = .ended
    switch state.join {
    case .gapless(let from, let to) where from == id:
      state.join = .none
      start(to, ramp: 0)
      emitProgress(.advanced(to: to))
    case .crossfade(let from, let to, at: _, let length, let curve) where from == id:
      state.join = .none
      beginFade(from: from, to: to, length: length.count, curve: curve)
    case .none, .gapless, .crossfade:
      // The outgoing track of a fade may end before it: the fade goes on over silence.
      if state.fade == nil { emitProgress(.deckEnded(id)) }
    }
  }

  @_noLocks @_noAllocation
  private mutating func passJoin() {
    guard case .crossfade(let from, let to, let at, let length, let curve) = state.join,
      case .running = state.decks[from].activity, state.decks[from].index >= at
    else { return }
    state.join = .none
    beginFade(from: from, to: to, length: length.count, curve: curve)
  }
}
