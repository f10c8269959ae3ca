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
  private var held = InlineArray<8, MixerEvent?>(repeating: nil)
  private var heldCount = 0

  @_noLocks @_noAllocation init() {}

  var isClosed: Bool {
    @_noLocks @_noAllocation get { if case .closed = phase { true } else { false } }
  }

  var isOpen: Bool {
    @_noLocks @_noAllocation get { if case .open = phase { true } else { false } }
  }

  /// Whether events wait.
  var holdsAny: Bool {
    @_noLocks @_noAllocation get { heldCount > 0 }
  }

  /// Keeps an event. A refill takes back the starvation before it, so that a slow worker cannot fill the
  /// list; beyond that no more than the ends of a fade and a join meet in one ramp.
  @_noLocks @_noAllocation
  mutating func hold(_ event: MixerEvent) {
    if case .refilled = event, heldCount > 0, case .starved = held[heldCount - 1] {
      heldCount -= 1
      return
    }
    guard heldCount < 8 else { return }
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
