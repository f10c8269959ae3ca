// The live source in the mix: begun, ended, and added past the gate, with the listener's volume and beneath announcements. Audio
// thread; may not lock or allocate.

import AudioRing
import PlaybackModel

extension Mixer {
  /// Whether a live source has a deck.
  var hasGuest: Bool {
    @_noLocks @_noAllocation get { state.guest.isThere }
  }

  /// Forgets the live source, for an output that cannot be heard. Only where the output stands still.
  @_noLocks @_noAllocation
  mutating func dropGuest() { if hasGuest { releaseGuest() } }

  // MARK: Commands

  @_noLocks @_noAllocation
  mutating func host(_ id: UInt32, _ ring: RingReader, index: UInt64, refill: Frames, ramp: Frames) {
    // Whoever sends them waits for the release; a ring is never forgotten without a word.
    if hasGuest { releaseGuest() }
    var deck = DeckState()
    state.attachments &+= 1
    deck.attachment = state.attachments
    deck.ring = ring
    deck.index = index
    state.guest.begin(id, deck, refill: Int(refill.count), ramp: ramp.count, at: state.frame)
    emit(.guest(id, .began))
  }

  @_noLocks @_noAllocation
  mutating func endGuest(_ id: UInt32, ramp: Int64) {
    guard id == state.guest.id, hasGuest else { return }
    if !state.guest.deck.rampToRelease(over: max(ramp, declick), at: state.frame) { releaseGuest() }
  }

  @_noLocks @_noAllocation
  private mutating func releaseGuest() {
    state.guest.deck = DeckState()
    emit(.guest(state.guest.id, .released))
  }

  /// Ends what is over on the present frame.
  @_noLocks @_noAllocation
  mutating func passGuest() {
    let id = state.guest.id
    switch state.guest.deck.turn(
      at: state.frame, DeckPace(quantum: quantum, declick: declick, refill: state.guest.refill))
    {
    case nil: return
    case .starved: emit(.guest(id, .starved))
    case .refilled: emit(.guest(id, .refilled))
    case .ended:
      emit(.guest(id, .ended))
      releaseGuest()
    case .corrupt:
      emit(.guest(id, .corrupt))
      releaseGuest()
    case .silent: releaseGuest()
    }
  }

  /// Adds what it has for the frames `first` to `last` of the present stretch.
  @_noLocks @_noAllocation
  func addGuest(from first: Int, to last: Int) {
    add(state.guest.deck, state.volume, state.announcer.duck, from: first, to: last)
  }

  // MARK: Its clock

  /// Tells the writer of its ring which of its frames is heard at a time: whoever has a clock of its own goes by that.
  @_noLocks @_noAllocation
  func tellGuest(heard frame: Int64, at time: UInt64) {
    let then = savedState(covering: frame)
    let deck = then.guest.deck
    guard let ring = state.guest.deck.ring, deck.attachment == state.guest.deck.attachment else { return }
    let passed = deck.isAudible ? UInt64(max(0, frame - then.frame)) : 0
    ring.heardPlace.note(index: deck.index &+ passed, at: time)
  }
}
