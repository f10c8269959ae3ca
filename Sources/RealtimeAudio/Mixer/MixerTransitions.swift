// What changes between two stretches: commands that are due, ends of ramps, fades and tracks.
// Audio thread; may not lock or allocate.

import AudioRing
import PlaybackModel

extension Mixer {
  /// Applies the commands of the present frame, then whatever ends on it.
  @_noLocks @_noAllocation
  mutating func applyDueCommands() {
    decideAtFrame()
    trail.note(state)
  }

  @_noLocks @_noAllocation
  private mutating func decideAtFrame() {
    while let entry = timeline.takeDue(at: state.frame) {
      emit(.applied(id: entry.id))
      apply(entry.command)
      look(asFor: entry)
    }
    state.cues.pass(state.frame, rate: rate)
    passGate()
    guard !state.gate.isClosed else { return }
    // What ends on this frame may make something else begin, and that may end on it, too: fades of no
    // length, tracks of no frames. Nothing may be left for later, for the frame can be visited again.
    var rounds = 0
    while rounds < 4 {
      let before = situation
      passFade()
      passDeck(.a)
      passDeck(.b)
      passJoin()
      if situation == before { return }
      rounds += 1
    }
  }

  /// All that a round changes if it changes anything that could concern the next.
  private var situation: (kinds: Int64, levelA: Int64, levelB: Int64) {
    @_noLocks @_noAllocation get {
      let join: Int64 =
        switch state.join {
        case .none: 0
        case .gapless: 1
        case .crossfade: 2
        }
      let kinds = kind(of: .a) + kind(of: .b) * 8 + join * 64 + (state.fade == nil ? 0 : 256)
      return (kinds, state.decks[.a].level.end, state.decks[.b].level.end)
    }
  }

  @_noLocks @_noAllocation
  private func kind(of id: Deck) -> Int64 {
    switch state.decks[id].activity {
    case .empty: 0
    case .cued: 1
    case .running: 2
    case .stopping: 3
    case .starved: 4
    case .ended: 5
    }
  }

  /// A command may have brought another ring or another place in it.
  @_noLocks @_noAllocation
  private mutating func look(asFor entry: CommandTimeline.Entry) {
    if let then = entry.snapshots {
      state.decks[.a].snapshot = then.a
      state.decks[.b].snapshot = then.b
      state.decks[.a].judgedFrame = state.frame
      state.decks[.b].judgedFrame = state.frame
    } else {
      state.decks.look(at: state.frame)
      timeline.note(.init(a: state.decks[.a].snapshot, b: state.decks[.b].snapshot))
    }
  }

  @_noLocks @_noAllocation
  mutating func emit(_ event: MixerEvent) {
    log.append(StampedEvent(event: event, positions: positions))
  }

  @_noLocks @_noAllocation
  private mutating func apply(_ command: MixerCommand) {
    let now = state.frame
    switch command {
    case .attach(let id, let ring, let index, let trackGain):
      var deck = DeckState()
      state.attachments &+= 1
      deck.attachment = state.attachments
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
      state.decks[id].owesEnd = false
    case .closeGate(let purpose, let ramp):
      guard !state.gate.isClosed else { return }
      state.gate.phase = .closing(purpose)
      state.gate.ramp = state.gate.ramp.turned(at: now, to: 0, fullLength: ramp.count)
    case .openGate(let ramp):
      if state.gate.isOpen { return }
      state.gate.phase = .open
      state.gate.ramp = state.gate.ramp.turned(at: now, to: 1, fullLength: ramp.count)
    case .join(let join):
      // What has begun is not placed again.
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
      state.entry = Ramp(from: 0, to: 1, start: now, length: ramp.count)
    case .setVolume(let gain, let ramp):
      // What begins after it begins at that volume.
      state.volume = Ramp(
        from: state.volume.value(at: now), to: gain.factor, start: now, length: isMute ? 0 : ramp.count)
    case .setMono(let isMono):
      state.mono = Ramp(
        from: state.mono.value(at: now), to: isMono ? 1 : 0, start: now, length: isMute ? 0 : declick)
    case .playCue(let sound, let gain):
      state.cues.play(sound, gain: gain, at: now, rate: rate)
    }
  }

  @_noLocks @_noAllocation
  private mutating func start(_ id: Deck, ramp: Int64) {
    guard state.decks[id].ring != nil else { return }
    let now = state.frame
    switch state.decks[id].activity {
    case .empty, .ended: return
    case .cued, .starved:
      state.decks[id].level = Ramp(from: ramp > 0 ? 0 : 1, to: 1, start: now, length: ramp)
      state.decks[id].startFrame = now
    // Begun by a join or a fade that the order has crossed with: it goes on as it does.
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
      // The level takes over the fade's part, so that the ramp starts from what is heard.
      state.decks[id].level = Ramp(
        from: audibleLevel(id), to: 0, start: state.frame, length: max(ramp, declick))
      state.decks[id].activity = .stopping(releases: releases)
    } else {
      silence(id, releases: releases)
    }
    dropFade(of: id)
  }

  /// Whether a deck is heard before the present frame, and would be cut there.
  @_noLocks @_noAllocation
  private func isHeard(_ id: Deck) -> Bool {
    state.decks[id].isAudible && !state.gate.isClosed && state.decks[id].startFrame < state.frame
  }

  /// The deck's level and fade gain together, at the present frame.
  @_noLocks @_noAllocation
  private func audibleLevel(_ id: Deck) -> Float {
    let level = state.decks[id].level.value(at: state.frame)
    guard let fade = state.fade, takesPartInFade(id) else { return level }
    let gains = fade.gains(after: .zero)
    return level * (fade.from == id ? gains.outgoing : gains.incoming).factor
  }

  /// A fade without one of its decks is none; the other keeps its present gain and goes to full level.
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
  private mutating func silence(_ id: Deck, releases: Bool) {
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
  private mutating func beginFade(from: Deck, to: Deck, _ fade: Fade, _ ends: FadeEnds) {
    let left = min(framesLeft(of: from, end: ends.from), framesLeft(of: to, end: ends.to))
    let fade = left < fade.length.count ? Fade(length: Frames(left), curve: fade.curve) : fade
    state.fade = FadeRun(from: from, to: to, fade)
    start(to, ramp: 0)
    emit(.crossfadeBegan(to: to, fade))
  }

  /// What is left of a deck's track, as far as the control thread knows its end. What its writer says of it now depends on
  /// how far that is ahead.
  @_noLocks @_noAllocation
  private func framesLeft(of id: Deck, end: UInt64) -> Int64 {
    let deck = state.decks[id]
    if case .ended = deck.activity { return 0 }
    // A track that is past its end has another one than was said.
    return end == RingLayout.noEnd || deck.index > end ? .max : Int64(clamping: end - deck.index)
  }

  @_noLocks @_noAllocation
  private mutating func collapse(onto id: Deck, ramp: Int64) {
    let other = id.other
    let now = state.frame
    // Who orders no ramp takes it for silent; it is not while the gate is still closing.
    let ramp = state.gate.isClosed ? ramp : max(ramp, declick)
    let mine = audibleLevel(id)
    let theirs = audibleLevel(other)
    state.fade = nil
    state.join = .none
    switch state.decks[id].activity {
    case .running: state.decks[id].level = Ramp(from: mine, to: 1, start: now, length: ramp)
    // Whoever wants it back has not heard yet that it is over.
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

  /// Both decks go, but for one that waits; the gate is open for what comes next.
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

  /// A deck that was to wait, and has been begun by a fade or a join before the order came, goes on from where it is. The
  /// one that was on it before may still be on its way out.
  @_noLocks @_noAllocation
  private mutating func keep(_ id: Deck, gate: Float) {
    guard !state.gate.isClosed else { return }
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

  @_noLocks @_noAllocation
  private mutating func passGate() {
    guard case .closing(let purpose) = state.gate.phase, state.frame >= state.gate.ramp.end else { return }
    state.gate.phase = .closed
    // Whoever was being ramped out is not heard any more, and would not be until the gate opens again.
    endStop(.a)
    endStop(.b)
    switch purpose {
    case .pause: emit(.paused)
    case .finish: emit(.fadeOutCompleted)
    }
  }

  @_noLocks @_noAllocation
  private mutating func endStop(_ id: Deck) {
    if case .stopping(let releases) = state.decks[id].activity { silence(id, releases: releases) }
  }

  @_noLocks @_noAllocation
  private mutating func passFade() {
    guard let fade = state.fade, fade.isOver else { return }
    state.fade = nil
    switch state.decks[fade.from].activity {
    case .running, .starved: state.decks[fade.from].activity = .ended
    case .empty, .cued, .stopping, .ended: break
    }
    state.decks[fade.from].owesEnd = false
    emit(.crossfadeCompleted(to: fade.to))
  }

  /// Ends of ramps, of tracks and of waiting, on the present frame.
  @_noLocks @_noAllocation
  private mutating func passDeck(_ id: Deck) {
    guard state.decks[id].ring != nil else { return }
    switch state.decks[id].activity {
    case .empty, .cued: return
    case .ended:
      // What befell a track within a fade is news only when it is the one that remains.
      guard state.decks[id].owesEnd, state.fade == nil else { return }
      state.decks[id].owesEnd = false
      emit(.deckEnded(id))
    case .starved:
      guard state.decks[id].judgedFrame == state.frame, hasRefilled(state.decks[id]) else {
        return tellStarvation(of: id)
      }
      state.decks[id].activity = .running
      state.decks[id].level = Ramp(from: 0, to: 1, start: state.frame, length: declick)
      if state.decks[id].hasToldStarvation { emit(.refilled(id)) }
      state.decks[id].hasToldStarvation = false
    case .stopping(let releases):
      if state.frame >= state.decks[id].level.end { return silence(id, releases: releases) }
      fitStop(of: id)
    case .running:
      passRunning(id)
    }
  }

  /// A ramp to silence ends before the ring does: who writes it may have ended with the order, and write no more.
  @_noLocks @_noAllocation
  private mutating func fitStop(of id: Deck) {
    let deck = state.decks[id]
    guard deck.judgedFrame == state.frame, !deck.snapshot.isComplete(from: deck.index),
      case .frames(let count) = deck.snapshot.available(from: deck.index),
      Int64(count) < deck.level.end - state.frame
    else { return }
    state.decks[id].level = Ramp(
      from: deck.level.value(at: state.frame), to: 0, start: state.frame, length: Int64(count))
  }

  @_noLocks @_noAllocation
  private mutating func tellStarvation(of id: Deck) {
    guard state.fade == nil, !state.decks[id].hasToldStarvation else { return }
    state.decks[id].hasToldStarvation = true
    emit(.starved(id))
  }

  @_noLocks @_noAllocation
  private func hasRefilled(_ deck: DeckState) -> Bool {
    guard case .frames(let count) = deck.snapshot.available(from: deck.index) else { return true }
    return count >= refill || deck.snapshot.isComplete(from: deck.index)
  }

  @_noLocks @_noAllocation
  private mutating func passRunning(_ id: Deck) {
    let index = state.decks[id].index
    let snapshot = state.decks[id].snapshot
    if snapshot.isEnd(index) { return trackEnded(id) }
    switch snapshot.available(from: index) {
    case .corrupt:
      state.decks[id].activity = .ended
      emit(.ringCorrupt(id))
    case .frames(let count):
      let level = state.decks[id].level
      if level.to == 1, snapshot.isComplete(from: index) { return }
      if level.to == 1, state.decks[id].judgedFrame == state.frame, count <= Self.quantum + Int(declick) {
        // What is left carries a ramp: better a soft hole than a click.
        let length = min(declick, Int64(count))
        state.decks[id].level = Ramp(
          from: level.value(at: state.frame), to: 0, start: state.frame, length: length)
      } else if level.to == 0, state.frame >= level.end {
        state.decks[id].activity = .starved
        tellStarvation(of: id)
      }
    }
  }

  @_noLocks @_noAllocation
  private mutating func trackEnded(_ id: Deck) {
    state.decks[id].activity = .ended
    switch state.join {
    case .gapless(let from, let to) where from == id:
      state.join = .none
      start(to, ramp: 0)
      emit(.advanced(to: to))
    case .crossfade(let from, let to, at: _, let fade, let ends) where from == id:
      state.join = .none
      beginFade(from: from, to: to, fade, ends)
    case .none, .gapless, .crossfade:
      // The outgoing track of a fade may end before it: the fade goes on over silence.
      if state.fade == nil { emit(.deckEnded(id)) } else { state.decks[id].owesEnd = true }
    }
  }

  @_noLocks @_noAllocation
  private mutating func passJoin() {
    guard case .crossfade(let from, let to, let at, let fade, let ends) = state.join,
      case .running = state.decks[from].activity, state.decks[from].index >= at
    else { return }
    if framesLeft(of: from, end: ends.from) < min(declick, fade.length.count) {
      // Too late for a ramp: the end that comes is none that has to be softened.
      state.join = .gapless(from: from, to: to)
    } else {
      state.join = .none
      beginFade(from: from, to: to, fade, ends)
    }
  }
}
