// The gate after both decks, which pauses and stops use. Part of the mixer's restorable state. Audio thread: no locks,
// no allocation.

/// Open, closing over a ramp, or closed.
///
/// The decks are still read while the gate closes, so that the faded-out audio is played exactly once. They stop when
/// it is closed.
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
