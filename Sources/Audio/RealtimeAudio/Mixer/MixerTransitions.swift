// State transitions between two stretches: due commands, and the ends of ramps, fades and tracks. Audio thread: no
// locks, no allocation.

import AudioRing
import PlaybackModel

extension Mixer {
  /// Applies the commands of the present frame, then the transitions that are due on it.
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
    passAnnouncer()
    if hasLiveInput { passLiveInput() }
    passFilters()
    passGate()
    guard !state.gate.isClosed else { return }
    // One transition may cause another on the same frame, as with fades of no length or tracks without frames. All must
    // happen now, because the frame can be visited again.
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

  /// The part of the state that further transitions depend on.
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

  /// Takes new snapshots of the rings after a command, which may have attached a ring or moved a read position. A
  /// replayed command reuses the snapshots of its first application.
  @_noLocks @_noAllocation
  private mutating func look(asFor entry: CommandTimeline.Entry) {
    if let then = entry.snapshots {
      state.decks[.a].snapshot = then.a
      state.decks[.b].snapshot = then.b
      state.announcer.deck.snapshot = then.announcement
      state.liveInput.deck.snapshot = then.liveInput
      state.decks[.a].judgedFrame = state.frame
      state.decks[.b].judgedFrame = state.frame
      state.announcer.deck.judgedFrame = state.frame
      state.liveInput.deck.judgedFrame = state.frame
    } else {
      lookAtRings()
      timeline.note(
        .init(
          a: state.decks[.a].snapshot, b: state.decks[.b].snapshot,
          announcement: state.announcer.deck.snapshot, liveInput: state.liveInput.deck.snapshot))
    }
  }

  @_noLocks @_noAllocation
  mutating func emit(_ event: MixerEvent) {
    log.append(StampedEvent(event: event, positions: positions))
  }

  @_noLocks @_noAllocation
  private mutating func beginFade(from: Deck, to: Deck, _ fade: Fade, _ ends: FadeEnds) {
    let fade = fitted(
      fade, outgoing: framesLeft(of: from, end: ends.from), incoming: framesLeft(of: to, end: ends.to))
    state.fade = FadeRun(from: from, to: to, fade)
    start(to, ramp: fade.length.count < declick ? entryRamp(of: to) : 0)
    emit(.crossfadeBegan(to: to, fade))
  }

  /// Shortens a fade to the remaining frames of both tracks.
  ///
  /// If the incoming track is shorter than a ramp, it ends within the fade, so that the outgoing track is ramped out
  /// instead of cut.
  @_noLocks @_noAllocation
  private func fitted(_ fade: Fade, outgoing: Int64, incoming: Int64) -> Fade {
    let isMoment = incoming < declick && incoming < outgoing && incoming < fade.length.count
    let left = min(outgoing, isMoment ? declick : incoming)
    let curve = isMoment ? FadeCurve.linear : fade.curve
    return Fade(length: Frames(min(left, fade.length.count)), curve: curve)
  }

  /// Length of the ramp at the start of a track outside a fade: none at the track's own start.
  @_noLocks @_noAllocation
  func entryRamp(of id: Deck) -> Int64 { state.decks[id].isAtBeginning ? 0 : declick }

  /// Remaining frames of a deck's track according to the end that the control thread knows.
  ///
  /// The writer's present end is not used, because it depends on how far the writer is ahead.
  @_noLocks @_noAllocation
  private func framesLeft(of id: Deck, end: UInt64) -> Int64 {
    let deck = state.decks[id]
    if case .ended = deck.activity { return 0 }
    // A track beyond its expected end is longer than expected.
    return end == RingLayout.noEnd || deck.index > end ? .max : Int64(clamping: end - deck.index)
  }

  @_noLocks @_noAllocation
  private mutating func passGate() {
    guard case .closing(let purpose) = state.gate.phase, state.frame >= state.gate.ramp.end else { return }
    state.gate.phase = .closed
    // Decks that were being ramped out are inaudible now; their ramps would not continue until the gate opens.
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
    guard let fade = state.fade, fade.isOver || isSpent(fade) else { return }
    state.fade = nil
    switch state.decks[fade.from].activity {
    case .running, .starved: state.decks[fade.from].activity = .ended
    case .empty, .cued, .stopping, .ended: break
    }
    state.decks[fade.from].owesEnd = false
    emit(.crossfadeCompleted(to: fade.to))
  }

  /// Whether both tracks of a fade ended before the fade, because their lengths were unknown at its start.
  @_noLocks @_noAllocation
  private func isSpent(_ fade: FadeRun) -> Bool {
    if case .ended = state.decks[fade.from].activity, case .ended = state.decks[fade.to].activity {
      return true
    }
    return false
  }

  /// Ends ramps, tracks and starvation that are due at the present frame.
  @_noLocks @_noAllocation
  private mutating func passDeck(_ id: Deck) {
    guard state.decks[id].ring != nil else { return }
    switch state.decks[id].activity {
    case .empty, .cued: return
    case .ended:
      // The end of a track within a fade is reported only if the track remains after the fade.
      guard state.decks[id].owesEnd, state.fade == nil else { return }
      state.decks[id].owesEnd = false
      emit(.deckEnded(id))
    case .starved:
      guard state.decks[id].judgedFrame == state.frame else { return tellStarvation(of: id) }
      guard state.decks[id].hasRefilled(refill) else {
        return state.decks[id].endsWhereDry ? trackEnded(id) : tellStarvation(of: id)
      }
      state.decks[id].activity = .running
      state.decks[id].level = Ramp(from: 0, to: 1, start: state.frame, length: declick)
      if state.decks[id].hasToldStarvation { emit(.refilled(id)) }
      state.decks[id].hasToldStarvation = false
      // The rest of a cut-off track is too short for a ramp in and a ramp out.
      if state.decks[id].endsSoftly, state.decks[id].framesToEnd <= 2 * declick { trackEnded(id) }
    case .stopping(let releases):
      if state.frame >= state.decks[id].level.end { return silence(id, releases: releases) }
      state.decks[id].fitStop(at: state.frame)
    case .running:
      passRunning(id)
    }
  }

  /// Reports that a deck waits for its writer, unless a fade is running or the deck has no writer.
  @_noLocks @_noAllocation
  private mutating func tellStarvation(of id: Deck) {
    guard state.fade == nil, !state.decks[id].hasToldStarvation, !state.decks[id].endsWhereDry else { return }
    state.decks[id].hasToldStarvation = true
    emit(.starved(id))
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
      if level.to == 1, snapshot.isComplete(from: index) { return softenEnd(of: id) }
      if level.to == 1, state.decks[id].judgedFrame == state.frame, count <= quantum + Int(declick) {
        state.decks[id].rampOut(over: count, at: state.frame, declick: declick)
      } else if level.to == 0, state.frame >= level.end {
        state.decks[id].activity = .starved
        tellStarvation(of: id)
      }
    }
  }

  /// Fades out a cut-off track over its last frames, unless a fade that ends earlier already does.
  @_noLocks @_noAllocation
  private mutating func softenEnd(of id: Deck) {
    if let fade = state.fade, fade.from == id, fade.remaining <= state.decks[id].framesToEnd { return }
    state.decks[id].softenEnd(at: state.frame, declick: declick)
  }

  @_noLocks @_noAllocation
  private mutating func trackEnded(_ id: Deck) {
    state.decks[id].activity = .ended
    switch state.join {
    case .gapless(let from, let to) where from == id:
      state.join = .none
      start(to, ramp: entryRamp(of: to))
      emit(.advanced(to: to))
    case .crossfade(let from, let to, at: _, let fade, let ends) where from == id:
      state.join = .none
      beginFade(from: from, to: to, fade, ends)
    case .none, .gapless, .crossfade:
      // If the outgoing track ends before the fade, the fade continues over silence.
      if state.fade == nil { emit(.deckEnded(id)) } else { state.decks[id].owesEnd = true }
    }
  }

  @_noLocks @_noAllocation
  private mutating func passJoin() {
    guard case .crossfade(let from, let to, let at, let fade, let ends) = state.join,
      case .running = state.decks[from].activity, state.decks[from].index >= at
    else { return }
    if framesLeft(of: from, end: ends.from) < min(declick, fade.length.count) {
      // Too late for the fade's ramp, but the coming end is the track's own and needs none.
      state.join = .gapless(from: from, to: to)
    } else {
      state.join = .none
      beginFade(from: from, to: to, fade, ends)
    }
  }
}
