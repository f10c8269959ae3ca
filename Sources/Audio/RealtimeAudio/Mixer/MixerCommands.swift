// Applies commands to decks, fade and gate at their frame. Audio thread: no locks, no allocation.

import AudioRing
import PlaybackModel

extension Mixer {
  /// Applies a command at the present frame.
  @_noLocks @_noAllocation
  mutating func apply(_ command: MixerCommand) {
    let now = state.frame
    switch command {
    case .attach(let id, let ring, let index, let trackGain, let isBeginning):
      var deck = DeckState()
      state.attachments &+= 1
      deck.attachment = state.attachments
      deck.activity = .cued
      deck.ring = ring
      deck.index = index
      deck.trackGain = trackGain.factor
      deck.beginning = isBeginning ? index : nil
      state.decks[id] = deck
    case .start(let id, let ramp):
      if isMute { settleVolume() }
      // Zero ramp means "track start"; if a racing fade has already started the deck, ramp from its present gain.
      start(id, ramp: max(ramp.count, entryRamp(of: id)))
    case .stop(let id, let ramp):
      stop(id, ramp: ramp.count, releases: false)
    case .release(let id, let ramp):
      stop(id, ramp: ramp.count, releases: true)
    case .softenEnd(let id):
      state.decks[id].endsSoftly = true
    case .endWhereDry(let id):
      state.decks[id].endsWhereDry = true
    case .cue(let id, let index):
      guard state.decks[id].ring != nil else { return }
      state.decks[id].index = index
      state.decks[id].beginning = nil
      state.decks[id].activity = .cued
      state.decks[id].owesEnd = false
    case .closeGate(let purpose, let ramp):
      guard !state.gate.isClosed else { return }
      state.gate.phase = .closing(purpose)
      state.gate.ramp = state.gate.ramp.turned(at: now, to: 0, fullLength: ramp.count)
    case .openGate(let ramp):
      if state.gate.isOpen { return }
      if state.gate.isClosed, isMute { settleVolume() }
      state.gate.phase = .open
      state.gate.ramp = state.gate.ramp.turned(at: now, to: 1, fullLength: ramp.count)
    case .join(let join):
      // A fade that has already started is not replaced.
      if state.fade == nil { state.join = join }
    case .restoreFade(let from, let to, let fade, let index):
      state.fade = FadeRun(from: from, to: to, fade, at: index)
      start(from, ramp: 0)
      start(to, ramp: 0)
    case .quickFinish(let frames):
      state.fade?.retime(over: frames)
    case .collapse(let id, let ramp):
      collapse(onto: id, ramp: ramp.count)
    case .clear(let kept, let ramp):
      clear(keeping: kept, ramp: ramp.count)
    case .rampIn(let ramp):
      settleVolume()
      silenceFilters()
      state.entry = Ramp(from: 0, to: 1, start: now, length: ramp.count)
    case .setVolume(let gain, let ramp):
      // While muted, the volume jumps, so that playback starts at the new volume.
      state.volume = Ramp(
        from: state.volume.value(at: now), to: gain.factor, start: now, length: isMute ? 0 : ramp.count)
    case .setMono(let isMono):
      state.mono = Ramp(
        from: state.mono.value(at: now), to: isMono ? 1 : 0, start: now,
        length: isMute && !isAnnouncing ? 0 : declick)
    case .setFilter(let index, let biquad):
      setFilter(index, to: biquad)
    case .playCue(let sound, let gain):
      state.announcer.play(sound, gain: gain, at: now, rate: rate)
      // Audio that starts during the cue starts at the ducked level.
      if isMute { state.announcer.endDuckRamp() }
    case .announce(let id, let ring, let index, let gain, let duck):
      announce(id, ring, index: index, gain: gain, duck: duck)
    case .softenAnnouncement(let id):
      if id == state.announcer.id { state.announcer.deck.endsSoftly = true }
    case .setAnnouncementGain(let gain, let ramp):
      let from = state.announcer.gain.value(at: now)
      state.announcer.gain = Ramp(from: from, to: gain.factor, start: now, length: ramp.count)
    case .endAnnouncement(let id, let ramp):
      endAnnouncement(id, ramp: ramp.count)
    case .host(let id, let ring, let index, let refill, let ramp):
      if isMute { settleVolume() }
      host(id, ring, index: index, refill: refill, ramp: ramp)
    case .endLiveInput(let id, let ramp):
      endLiveInput(id, ramp: ramp.count)
    }
  }

  /// Completes the ramps of volume and mono before playback starts from silence. The ramps' own frames may be lost with
  /// a failed card.
  @_noLocks @_noAllocation
  private mutating func settleVolume() {
    state.volume = .constant(state.volume.to)
    state.mono = .constant(state.mono.to)
  }

  @_noLocks @_noAllocation
  mutating func start(_ id: Deck, ramp: Int64) {
    guard state.decks[id].ring != nil else { return }
    let now = state.frame
    switch state.decks[id].activity {
    case .empty, .ended: return
    case .cued, .starved:
      state.decks[id].level = Ramp(from: ramp > 0 ? 0 : 1, to: 1, start: now, length: ramp)
      state.decks[id].startFrame = now
    // A racing join or fade has already started the deck; it keeps its level.
    case .running where state.decks[id].level.to == 1: break
    case .running, .stopping:
      state.decks[id].level = state.decks[id].level.turned(
        at: now, to: 1, fullLength: max(ramp, declick))
    }
    state.decks[id].activity = .running
    state.decks[id].hasToldStarvation = false
    state.decks[id].judgedFrame = now
  }

  @_noLocks @_noAllocation
  private mutating func stop(_ id: Deck, ramp: Int64, releases: Bool) {
    guard state.decks[id].ring != nil else {
      if releases { emit(.released(id)) }
      return
    }
    if isHeard(id) {
      // The level includes the fade's gain, so that the ramp starts at the audible level.
      state.decks[id].level = Ramp(
        from: audibleLevel(id), to: 0, start: state.frame, length: max(ramp, declick))
      state.decks[id].activity = .stopping(releases: releases)
    } else {
      silence(id, releases: releases)
    }
    dropFade(of: id)
  }

  /// Whether the deck was audible before the present frame, so that stopping it without a ramp would click.
  @_noLocks @_noAllocation
  private func isHeard(_ id: Deck) -> Bool {
    state.decks[id].isAudible && !state.gate.isClosed && state.decks[id].startFrame < state.frame
  }

  /// The deck's level times its fade gain, at the present frame.
  @_noLocks @_noAllocation
  private func audibleLevel(_ id: Deck) -> Float {
    let level = state.decks[id].level.value(at: state.frame)
    guard let fade = state.fade, takesPartInFade(id) else { return level }
    return level * fade.gain(of: id, after: 0)
  }

  /// Cancels the fade or join that a deck takes part in. The other deck ramps from its present gain to full level.
  @_noLocks @_noAllocation
  private mutating func dropFade(of id: Deck) {
    switch state.join {
    case .gapless(let from, let to) where from == id || to == id: state.join = .none
    case .crossfade(let from, let to, at: _, _, ends: _) where from == id || to == id: state.join = .none
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
  mutating func silence(_ id: Deck, releases: Bool) {
    if releases {
      state.decks[id] = DeckState()
      emit(.released(id))
    } else {
      state.decks[id].activity = .cued
      state.decks[id].owesEnd = false
      state.decks[id].hasToldStarvation = false
      emit(.deckSilent(id, index: state.decks[id].index))
    }
  }

  @_noLocks @_noAllocation
  private mutating func collapse(onto id: Deck, ramp: Int64) {
    let other = id.other
    let now = state.frame
    // Zero ramp means that the sender assumes silence, which is wrong while the gate is closing.
    let ramp = state.gate.isClosed ? ramp : max(ramp, declick)
    let mine = audibleLevel(id)
    let theirs = audibleLevel(other)
    state.fade = nil
    state.join = .none
    switch state.decks[id].activity {
    case .running: state.decks[id].level = Ramp(from: mine, to: 1, start: now, length: ramp)
    // The command was sent before the deck's end was reported.
    case .ended: state.decks[id].owesEnd = true
    case .empty, .cued, .stopping, .starved: break
    }
    state.decks[other].owesEnd = false
    guard state.decks[other].isAudible else { return }
    if state.gate.isClosed {
      silence(other, releases: false)
    } else {
      state.decks[other].level = Ramp(from: theirs, to: 0, start: now, length: ramp)
      state.decks[other].activity = .stopping(releases: false)
    }
  }

  /// Releases both decks except `kept`, cancels fade and join, and opens the gate.
  @_noLocks @_noAllocation
  private mutating func clear(keeping kept: Deck?, ramp: Int64) {
    let gate = state.gate.ramp.value(at: state.frame)
    for id in 0..<2 {
      let deck = id == 0 ? Deck.a : Deck.b
      if let kept, kept == deck {
        keep(deck, gate: gate)
      } else {
        release(deck, gate: gate, ramp: ramp)
      }
    }
    state.fade = nil
    state.join = .none
    state.gate = Gate()
  }

  /// Keeps a deck that a racing fade or join has already started, or that is still being ramped out. It continues from
  /// its audible level, which is zero behind a closed gate.
  @_noLocks @_noAllocation
  private mutating func keep(_ id: Deck, gate: Float) {
    let now = state.frame
    let from = audibleLevel(id) * gate
    switch state.decks[id].activity {
    case .running: state.decks[id].level = Ramp(from: from, to: 1, start: now, length: declick)
    case .stopping:
      let left = max(0, state.decks[id].level.end - now)
      state.decks[id].level = Ramp(from: from, to: 0, start: now, length: left)
    case .empty, .cued, .starved, .ended: break
    }
  }

  @_noLocks @_noAllocation
  private mutating func release(_ id: Deck, gate: Float, ramp: Int64) {
    guard state.decks[id].ring != nil else { return }
    guard isHeard(id) else { return silence(id, releases: true) }
    state.decks[id].level = Ramp(
      from: audibleLevel(id) * gate, to: 0, start: state.frame, length: max(ramp, declick))
    state.decks[id].activity = .stopping(releases: true)
  }
}
