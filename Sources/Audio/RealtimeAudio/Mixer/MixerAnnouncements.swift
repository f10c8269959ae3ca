// Cues and the announcement on the third deck: begun, ended, and added to the mix past the volume and the gate, so that
// they are heard in a pause, too. Audio thread; may not lock or allocate.

import AudioRing
import PlaybackModel

extension Mixer {
  /// Whether a cue or an announcement sounds or waits.
  var isAnnouncing: Bool {
    @_noLocks @_noAllocation get { !state.announcer.isIdle }
  }

  /// Forgets all cues and the announcement, for an output that cannot be heard: nobody wants to be told late. Only where
  /// the output stands still.
  @_noLocks @_noAllocation
  mutating func dropAnnouncements() {
    let hadRing = state.announcer.deck.ring != nil
    let id = state.announcer.id
    state.announcer = Announcer()
    if hadRing { emit(.announcement(id, .released)) }
  }

  // MARK: Commands

  /// Puts an announcement on the third deck. It begins at once, or when the cue that sounds is over.
  @_noLocks @_noAllocation
  mutating func announce(_ id: UInt32, _ ring: RingReader, index: UInt64, gain: Gain, duck: Gain) {
    // Whoever sends them waits for the release; a ring is never forgotten without a word.
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

  /// Ramps the announcement out where it is heard, and lets go of its ring.
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

  // MARK: Ends and beginnings

  /// Ends what is over on the present frame, and begins what waits for it. What begins may be over on the same frame:
  /// nothing is left for later, for the frame can be visited again.
  @_noLocks @_noAllocation
  mutating func passAnnouncer() {
    var rounds = 0
    while rounds < 4, !passAnnouncements() { rounds += 1 }
  }

  /// Whether nothing more is to be done on the present frame.
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

  // MARK: Sound

  /// Frames that can be rendered now without the announcement running short of what its writer is yet to write.
  @_noLocks @_noAllocation
  func announcementSupply() -> Int {
    let deck = state.announcer.deck
    // One that has run dry is not waited for: the music is not.
    guard deck.isAudible, let ring = deck.ring else { return .max }
    let snapshot = ring.look()
    guard case .frames(let count) = snapshot.available(from: deck.index) else { return .max }
    if snapshot.isComplete(from: deck.index) { return .max }
    return count - quantum - Self.shortestQuantum - Int(declick)
  }

  /// Adds what sounds over the music for the frames `first` to `last` of the present stretch.
  @_noLocks @_noAllocation
  func addAnnouncements(from first: Int, to last: Int) {
    add(state.announcer.deck, state.announcer.gain, .constant(1), from: first, to: last)
    addCue(from: first, to: last)
  }

  /// Adds what a deck beside the plan's has, with its level and two gains more.
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

  /// Adds what the cue has for the frames `first` to `last` of the present stretch.
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
