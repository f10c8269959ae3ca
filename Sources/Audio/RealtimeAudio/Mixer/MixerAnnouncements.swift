// Cues and announcements in the mix: start, end and mixing. They bypass volume and gate, so that they are audible
// during a pause. Audio thread: no locks, no allocation.

import AudioRing
import PlaybackModel

extension Mixer {
  /// Whether a cue or an announcement is playing or waiting.
  var isAnnouncing: Bool {
    @_noLocks @_noAllocation get { !state.announcer.isIdle }
  }

  /// Drops all cues and the announcement, because the output is inaudible and a late announcement is useless. Only
  /// while the output stands still.
  @_noLocks @_noAllocation
  mutating func dropAnnouncements() {
    let hadRing = state.announcer.deck.ring != nil
    let id = state.announcer.id
    state.announcer = Announcer()
    if hadRing { emit(.announcement(id, .released)) }
  }

  // MARK: Commands

  /// Puts an announcement on the third deck. It starts at once, or after the playing cue.
  @_noLocks @_noAllocation
  mutating func announce(_ id: UInt32, _ ring: RingReader, index: UInt64, gain: Gain, duck: Gain) {
    // Report the release of the previous ring: its sender waits for it.
    if state.announcer.deck.ring != nil { releaseAnnouncement() }
    var deck = DeckState()
    state.attachments &+= 1
    deck.attachment = state.attachments
    deck.activity = .cued
    deck.ring = ring
    deck.index = index
    state.announcer.take(id, deck, gain: gain, duck: duck)
    if state.announcer.running == nil { beginAnnouncement() }
  }

  /// Ramps out an audible announcement and releases its ring.
  @_noLocks @_noAllocation
  mutating func endAnnouncement(_ id: UInt32, ramp: Int64) {
    guard id == state.announcer.id, state.announcer.deck.ring != nil else { return }
    if !state.announcer.deck.rampToRelease(over: max(ramp, declick), at: state.frame) {
      releaseAnnouncement()
    }
  }

  @_noLocks @_noAllocation
  private mutating func beginAnnouncement() {
    state.announcer.begin(at: state.frame, rate: rate)
    emit(.announcement(state.announcer.id, .began))
  }

  @_noLocks @_noAllocation
  private mutating func releaseAnnouncement() {
    state.announcer.deck = DeckState()
    emit(.announcement(state.announcer.id, .released))
  }

  // MARK: Start and end

  /// Ends cues and announcements that are over at the present frame, and starts the waiting ones.
  ///
  /// A started one may be over at the same frame. All transitions happen here, because the frame can be visited again.
  @_noLocks @_noAllocation
  mutating func passAnnouncer() {
    var rounds = 0
    while rounds < 4, !passAnnouncements() { rounds += 1 }
  }

  /// One round of transitions at the present frame.
  ///
  /// - Returns: Whether no further round is needed.
  @_noLocks @_noAllocation
  private mutating func passAnnouncements() -> Bool {
    state.announcer.passCue(state.frame)
    passAnnouncementDeck()
    guard state.announcer.running == nil, !state.announcer.hasBegun else { return true }
    if case .cued = state.announcer.deck.activity {
      beginAnnouncement()
      return false
    }
    return !state.announcer.startNext(at: state.frame, rate: rate)
  }

  @_noLocks @_noAllocation
  private mutating func passAnnouncementDeck() {
    let id = state.announcer.id
    switch state.announcer.deck.turn(
      at: state.frame, DeckPace(quantum: quantum, declick: declick, refill: refill))
    {
    case nil: return
    case .starved: emit(.announcement(id, .starved))
    case .refilled: emit(.announcement(id, .refilled))
    case .ended: announcementEnded()
    case .corrupt:
      emit(.announcement(id, .corrupt))
      releaseAnnouncement()
    case .silent: releaseAnnouncement()
    }
  }

  @_noLocks @_noAllocation
  private mutating func announcementEnded() {
    emit(.announcement(state.announcer.id, .ended))
    releaseAnnouncement()
  }

  // MARK: Audio

  /// Frames that can be rendered before the announcement would run short of frames that are not written yet.
  @_noLocks @_noAllocation
  func announcementSupply() -> Int {
    let deck = state.announcer.deck
    // A starved announcement does not delay the music.
    guard deck.isAudible, let ring = deck.ring else { return .max }
    let snapshot = ring.look()
    guard case .frames(let count) = snapshot.available(from: deck.index) else { return .max }
    if snapshot.isComplete(from: deck.index) { return .max }
    return count - quantum - Self.shortestQuantum - Int(declick)
  }

  /// Adds the announcement and the cue to the frames `first..<last` of the present stretch.
  @_noLocks @_noAllocation
  func addAnnouncements(from first: Int, to last: Int) {
    add(state.announcer.deck, state.announcer.gain, .constant(1), from: first, to: last)
    addCue(from: first, to: last)
  }

  /// Adds a deck outside the deck plan, with its level and two additional gains.
  @_noLocks @_noAllocation
  func add(_ deck: DeckState, _ gain: Ramp, _ duck: Ramp, from first: Int, to last: Int) {
    guard deck.isAudible, let ring = deck.ring else { return }
    let end = deck.readable(last)
    guard first < end else { return }
    let frames = ring.frames(at: deck.index)
    let frame = state.frame + Int64(first)
    if let level = deck.level.constantValue(from: frame, count: end - first),
      let gain = gain.constantValue(from: frame, count: end - first),
      let duck = duck.constantValue(from: frame, count: end - first),
      let entry = state.entry.constantValue(from: frame, count: end - first)
    {
      return BlockMath.add(
        frames.dropFirst(first), times: level * gain * duck * entry, to: mix + 2 * first, count: end - first,
        areFirst: false)
    }
    var i = first
    while i < end {
      let now = state.frame + Int64(i)
      let all =
        deck.level.value(at: now) * gain.value(at: now) * duck.value(at: now) * state.entry.value(at: now)
      BlockMath.add(frames.dropFirst(i), times: all, to: mix + 2 * i, count: 1, areFirst: false)
      i += 1
    }
  }

  /// Adds the cue to the frames `first..<last` of the present stretch.
  @_noLocks @_noAllocation
  private func addCue(from first: Int, to last: Int) {
    guard let cue = state.announcer.running else { return }
    switch cue.sound {
    case .clip(let clip): add(clip, of: cue, from: first, to: last)
    case .builtIn(let name):
      var n = 0
      while let note = name.note(n) {
        add(note, of: cue, from: first, to: last)
        n += 1
      }
    }
  }

  @_noLocks @_noAllocation
  private func add(_ clip: CueClip, of cue: CueRun, from first: Int, to last: Int) {
    let offset = Int(state.frame - cue.start)
    let end = min(last, clip.frames - offset)
    var i = first
    while i < end {
      let gain = cue.gain * state.entry.value(at: state.frame + Int64(i))
      mix[2 * i] += clip.samples[2 * (offset + i)] * gain
      mix[2 * i + 1] += clip.samples[2 * (offset + i) + 1] * gain
      i += 1
    }
  }

  @_noLocks @_noAllocation
  private func add(_ note: CueNote, of cue: CueRun, from first: Int, to last: Int) {
    let begin = cue.start + rate.frames(Seconds(note.start)).count
    let end = Int(min(Int64(last), begin + rate.frames(Seconds(note.length)).count - state.frame))
    var i = Int(max(Int64(first), begin - state.frame))
    while i < end {
      let frame = state.frame + Int64(i)
      let value = note.value(at: rate.seconds(Frames(frame - begin)).value)
      let gain = cue.gain * state.entry.value(at: frame)
      mix[2 * i] += value * note.left * gain
      mix[2 * i + 1] += value * note.right * gain
      i += 1
    }
  }
}
