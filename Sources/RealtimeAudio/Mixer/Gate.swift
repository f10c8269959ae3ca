// The gate behind both decks that pauses and stops go through. Part of the mixer's restorable state.
// Audio thread; may not lock or allocate.

/// Open, closing over a ramp, or closed. While it closes, the decks are still read: what fades out is
/// heard once and only once. When it is closed they stand still.
struct Gate: Sendable {
  enum Phase: Sendable {
    case open
    case closing(GatePurpose)
    case closed
  }

  var phase = Phase.open
  var ramp = Ramp.constant(1)
  /// Events that wait for the gate to open: the listener has not heard of them yet.
  private var held = InlineArray<4, MixerEvent?>(repeating: nil)
  private var heldCount = 0

  @_noLocks @_noAllocation init() {}

  var isClosed: Bool {
    @_noLocks @_noAllocation get { if case .closed = phase { true } else { false } }
  }

  var isOpen: Bool {
    @_noLocks @_noAllocation get { if case .open = phase { true } else { false } }
  }

  @_noLocks @_noAllocation
  mutating func hold(_ event: MixerEvent) {
    precondition(heldCount < 4, "no more than a fade's and a join's ends meet in one ramp")
    held[heldCount] = event
    heldCount += 1
  }

  /// Takes the oldest held event.
  @_noLocks @_noAllocation
  mutating func takeHeld() -> MixerEvent? {
    guard heldCount > 0 else { return nil }
    let first = held[0]
    var i = 1
    while i < heldCount {
      held[i - 1] = held[i]
      i += 1
    }
    heldCount -= 1
    return first
  }

  @_noLocks @_noAllocation
  mutating func forgetHeld() { heldCount = 0 }
}
