// A live source on a deck of its own: heard past the gate, so that music can stand still beneath it, and before the volume. Part of
// the mixer's restorable state; audio thread; may not lock or allocate.

import AudioRing
import PlaybackModel

/// What sounds of a live source at one timeline frame.
struct LiveInput: Sendable {
  /// The deck that reads the source's ring.
  var deck = DeckState()
  /// The number of what is on the deck.
  private(set) var id: UInt32 = 0
  /// Frames that must be there before it is heard again after it ran dry: its sender's delay is what it was then.
  private(set) var refill = 0

  @_noLocks @_noAllocation init() {}

  /// Whether there is a ring that is read, or may be again.
  var isThere: Bool {
    @_noLocks @_noAllocation get { deck.ring != nil }
  }

  /// Whether it is heard, or will be without another command.
  var isHeard: Bool {
    @_noLocks @_noAllocation get {
      switch deck.activity {
      case .running, .stopping, .starved: true
      case .empty, .cued, .ended: false
      }
    }
  }

  /// Lets a ring sound from a frame on.
  @_noLocks @_noAllocation
  mutating func begin(_ id: UInt32, _ deck: DeckState, refill: Int, ramp: Int64, at frame: Int64) {
    self.id = id
    self.deck = deck
    self.refill = refill
    self.deck.activity = .running
    self.deck.level = Ramp(from: ramp > 0 ? 0 : 1, to: 1, start: frame, length: ramp)
    self.deck.judgedFrame = frame
    self.deck.startFrame = frame
  }
}
