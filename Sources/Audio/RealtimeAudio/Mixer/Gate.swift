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

  @_noLocks @_noAllocation init() {}

  var isClosed: Bool {
    @_noLocks @_noAllocation get { if case .closed = phase { true } else { false } }
  }

  var isOpen: Bool {
    @_noLocks @_noAllocation get { if case .open = phase { true } else { false } }
  }
}
