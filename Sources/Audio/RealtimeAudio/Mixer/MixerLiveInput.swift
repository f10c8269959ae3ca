// The live input in the mix: start, end and mixing. It bypasses the gate, follows the user's volume and is ducked by
// announcements. Audio thread: no locks, no allocation.

import AudioRing
import PlaybackModel

extension Mixer {
  /// Whether a live input is attached.
  var hasLiveInput: Bool {
    @_noLocks @_noAllocation get { state.liveInput.isThere }
  }

  /// Drops the live input, because the output is inaudible. Only while the output stands still.
  @_noLocks @_noAllocation
  mutating func dropLiveInput() { if hasLiveInput { releaseLiveInput() } }

  // MARK: Commands

  @_noLocks @_noAllocation
  mutating func host(_ id: UInt32, _ ring: RingReader, index: UInt64, refill: Frames, ramp: Frames) {
    // Report the release of the previous ring: its sender waits for it.
    if hasLiveInput { releaseLiveInput() }
    var deck = DeckState()
    state.attachments &+= 1
    deck.attachment = state.attachments
    deck.ring = ring
    deck.index = index
    state.liveInput.begin(id, deck, refill: Int(refill.count), ramp: ramp.count, at: state.frame)
    emit(.liveInput(id, .began))
  }

  @_noLocks @_noAllocation
  mutating func endLiveInput(_ id: UInt32, ramp: Int64) {
    guard id == state.liveInput.id, hasLiveInput else { return }
    if !state.liveInput.deck.rampToRelease(over: max(ramp, declick), at: state.frame) { releaseLiveInput() }
  }

  @_noLocks @_noAllocation
  private mutating func releaseLiveInput() {
    state.liveInput.deck = DeckState()
    emit(.liveInput(state.liveInput.id, .released))
  }

  /// Ends or starves the live input at the present frame.
  @_noLocks @_noAllocation
  mutating func passLiveInput() {
    let id = state.liveInput.id
    switch state.liveInput.deck.turn(
      at: state.frame, DeckPace(quantum: quantum, declick: declick, refill: state.liveInput.refill))
    {
    case nil: return
    case .starved: emit(.liveInput(id, .starved))
    case .refilled: emit(.liveInput(id, .refilled))
    case .ended:
      emit(.liveInput(id, .ended))
      releaseLiveInput()
    case .corrupt:
      emit(.liveInput(id, .corrupt))
      releaseLiveInput()
    case .silent: releaseLiveInput()
    }
  }

  /// Adds the live input to the frames `first..<last` of the present stretch.
  @_noLocks @_noAllocation
  func addLiveInput(from first: Int, to last: Int) {
    add(state.liveInput.deck, state.volume, state.announcer.duck, from: first, to: last)
  }

  // MARK: Playback clock

  /// Publishes to the ring's writer which of its frames is audible, for sources that have their own clock.
  ///
  /// - Parameters:
  ///   - frame: The audible timeline frame.
  ///   - time: Nanoseconds of the monotonic clock at which it is audible.
  @_noLocks @_noAllocation
  func tellLiveInput(heard frame: Int64, at time: UInt64) {
    let then = savedState(covering: frame)
    let deck = then.liveInput.deck
    guard let ring = state.liveInput.deck.ring, deck.attachment == state.liveInput.deck.attachment else {
      return
    }
    let passed = deck.isAudible ? UInt64(max(0, frame - then.frame)) : 0
    ring.heardPlace.note(index: deck.index &+ passed, at: time)
  }
}
