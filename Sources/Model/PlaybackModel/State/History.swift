// Audit trail of the state machine: the last events and their verdicts, in fixed memory. A pure value; control thread.

/// The last 128 events with their verdicts, oldest first, and counters of all events.
package struct History: Sendable {
  /// Maximum number of entries.
  package static let capacity = 128

  private var ring: [Transition] = []
  private var oldest = 0
  /// Total number of events handled.
  package private(set) var total: UInt64 = 0
  /// Number of rejected events from the user.
  package private(set) var rejectedUser: UInt64 = 0
  /// Number of rejected events from the engine; each one is a bug.
  package private(set) var rejectedSystem: UInt64 = 0
  /// Number of rejected external events.
  package private(set) var rejectedExternal: UInt64 = 0

  init() { ring.reserveCapacity(Self.capacity) }

  /// Number of entries, at most 128.
  package var count: Int { ring.count }

  /// An entry; 0 is the oldest.
  package subscript(_ index: Int) -> Transition {
    precondition(index >= 0 && index < ring.count)
    return ring[(oldest + index) % ring.count]
  }

  /// The newest entry.
  package var last: Transition? { ring.isEmpty ? nil : self[ring.count - 1] }

  /// Total number of rejected events.
  package var rejected: UInt64 { rejectedUser + rejectedSystem + rejectedExternal }

  mutating func record(_ transition: Transition) {
    total &+= 1
    if transition.verdict.isRejected {
      switch transition.event.kind.origin {
      case .user: rejectedUser &+= 1
      case .system: rejectedSystem &+= 1
      case .external: rejectedExternal &+= 1
      }
    }
    if ring.count < Self.capacity {
      ring.append(transition)
    } else {
      ring[oldest] = transition
      oldest = (oldest + 1) % Self.capacity
    }
  }
}
