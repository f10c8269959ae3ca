// A live input on its own deck. It bypasses the gate, so that the music can be paused below it, and is subject to the
// volume. Part of the mixer's restorable state. Audio thread: no locks, no allocation.

import AudioRing
import PlaybackModel

/// State of the live input at one timeline frame.
struct LiveInput: Sendable {
  /// The deck that reads the input's ring.
  var deck = DeckState()
  /// Id of the live input on the deck.
  private(set) var id: UInt32 = 0
  /// Frames required before it resumes after starvation, which restores the sender's delay.
  private(set) var refill = 0

  @_noLocks @_noAllocation init() {}

  /// Whether a ring is attached.
  var isThere: Bool {
    @_noLocks @_noAllocation get { deck.ring != nil }
  }

  /// Whether the input is audible, or becomes audible without another command.
  var isHeard: Bool {
    @_noLocks @_noAllocation get {
      switch deck.activity {
      case .running, .stopping, .starved: true
      case .empty, .cued, .ended: false
      }
    }
  }

  /// Starts reading a ring at a frame.
  ///
  /// - Parameters:
  ///   - id: Id of the live input.
  ///   - deck: A deck with the attached ring.
  ///   - refill: Frames required to resume after starvation.
  ///   - ramp: Length of the ramp in, in frames.
  ///   - frame: Timeline frame of the start.
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
