// The audit trail: the last events and what became of them, in fixed space. Pure value; control thread.

/// The last 128 events with their verdicts, oldest first, and counts of all.
package struct History: Sendable {
  /// How many entries are kept.
  package static let capacity = 128

  private var ring: [Transition] = []
  private var oldest = 0
  /// How many events have been handled in all.
  package private(set) var total: UInt64 = 0
  /// How many of a person's events were rejected.
  package private(set) var rejectedUser: UInt64 = 0
  /// How many of the engine's own reports were rejected; each one is a fault in the engine.
  package private(set) var rejectedSystem: UInt64 = 0
  /// How many events of the world outside were rejected.
  package private(set) var rejectedExternal: UInt64 = 0

  init() { ring.reserveCapacity(Self.capacity) }

  /// How many entries there are, 128 at most.
  package var count: Int { ring.count }

  /// An entry; 0 is the oldest kept.
  package subscript(_ index: Int) -> Transition {
    precondition(index >= 0 && index < ring.count)
    return ring[(oldest + index) % ring.count]
  }

  /// The newest entry.
  package var last: Transition? { ring.isEmpty ? nil : self[ring.count - 1] }

  /// How many events were rejected in all.
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
