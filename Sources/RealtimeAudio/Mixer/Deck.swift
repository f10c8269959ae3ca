// One of the two players: where it reads in its ring, and how loud. Part of the mixer's restorable state.
// Audio thread; may not lock or allocate.

/// One of the two decks.
public enum DeckID: Sendable, Equatable, CaseIterable {
  case a
  case b

  /// Written out because the compiler's own comparison is not proved real-time safe.
  @_noLocks @_noAllocation
  public static func == (left: DeckID, right: DeckID) -> Bool {
    switch (left, right) {
    case (.a, .a), (.b, .b): true
    case (.a, .b), (.b, .a): false
    }
  }

  /// The other deck.
  public var other: DeckID {
    @_noLocks @_noAllocation get { self == .a ? .b : .a }
  }
}

/// What a deck is doing.
enum DeckActivity: Sendable {
  /// No ring is attached.
  case empty
  /// A ring is attached and nothing is read.
  case cued
  /// It is heard.
  case running
  /// It is heard until its level ramp ends.
  case stopping(releases: Bool)
  /// It ran out of frames, was ramped out and waits for the worker.
  case starved
  /// Everything up to the track's end was read.
  case ended
}

/// The deck's state at one timeline frame.
struct Deck: Sendable {
  var activity = DeckActivity.empty
  var ring: RingReader?
  /// Ring index of the next frame to be read.
  var index: UInt64 = 0
  /// De-click level: start, stop, starvation, collapse of a fade.
  var level = Ramp.constant(0)
  /// ReplayGain and the like: constant over a track.
  var trackGain: Float = 1

  @_noLocks @_noAllocation init() {}

  var isAudible: Bool {
    @_noLocks @_noAllocation get {
      switch activity {
      case .running, .stopping: true
      case .empty, .cued, .starved, .ended: false
      }
    }
  }
}

/// Two decks, addressed by name.
struct DeckPair: Sendable {
  private var a = Deck()
  private var b = Deck()

  @_noLocks @_noAllocation init() {}

  subscript(_ id: DeckID) -> Deck {
    @_noLocks @_noAllocation get { id == .a ? a : b }
    @_noLocks @_noAllocation set { if id == .a { a = newValue } else { b = newValue } }
  }
}
