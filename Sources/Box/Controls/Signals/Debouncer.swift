// Debounces a contact: one clean edge per press and release. Pure value; control thread.

/// Debounces one line in software, if neither the kernel nor a driver does.
///
/// A new level counts once it has been stable for the debounce time. Time during which the contact was open
/// again is subtracted, and the count does not start over. So bounce delays an edge only by its own length, a
/// glitch shorter than the debounce time has no effect, and repeated glitches delay a press but cannot hide
/// it. As with the kernel's debouncing, the clean edge has the time at which it was accepted, so that edges
/// stay in order with timers that run in the meantime.
///
/// Driven by `deadline`, which is nil while the line is at rest.
package struct Debouncer: Sendable {
  /// A clean edge.
  package struct Edge: Hashable, Sendable {
    /// Whether the button went down.
    package let isDown: Bool
    /// Nanoseconds: the time at which the level had been stable for long enough.
    package let time: UInt64
  }

  /// The clean level.
  package private(set) var isDown: Bool
  /// The raw level of the contact.
  private var contactIsDown: Bool
  /// The time up to which the contact has been evaluated.
  private var followedTo: UInt64 = 0
  /// The time for which the contact has differed from the clean level, minus the time for which it has not; 0
  /// to `needed`.
  private var stood: UInt64 = 0
  private let needed: UInt64

  /// Creates a debouncer.
  ///
  /// - Parameters:
  ///   - milliseconds: The time a level must be stable; 0 passes all edges.
  ///   - isDown: The present level. A button held at power-on causes no edge.
  package init(milliseconds: Int, isDown: Bool = false) {
    needed = UInt64(min(max(milliseconds, 0), 10_000)) * 1_000_000
    self.isDown = isDown
    contactIsDown = isDown
  }

  /// The time at which to call `advance`; nil while the line is at rest.
  package var deadline: UInt64? {
    contactIsDown == isDown ? nil : followedTo.advanced(needed - stood)
  }

  /// Handles a raw edge. An edge to the present level only advances the time.
  package mutating func edge(isDown level: Bool, at time: UInt64) -> Edge? {
    let edge = advance(to: time)
    contactIsDown = level
    return edge ?? passIfNothingIsNeeded(time)
  }

  /// Handles a level that was read because edges were lost. If it differs from the last edge, the time of the
  /// change is unknown, and the time since that edge counts for neither level.
  ///
  /// Read all queued edges first: an edge still in the queue is not lost.
  package mutating func level(isDown level: Bool, at time: UInt64) -> Edge? {
    if level == contactIsDown { return advance(to: time) }
    followedTo = time
    contactIsDown = level
    return passIfNothingIsNeeded(time)
  }

  /// Advances the time.
  ///
  /// - Returns: The clean edge, if the level has been stable for long enough.
  package mutating func advance(to time: UInt64) -> Edge? {
    let passed = time.since(followedTo)
    // Follow the time stamp back, too: after an invalid one in the future, later edges must still count.
    defer { followedTo = time }
    guard contactIsDown != isDown else {
      stood -= min(stood, passed)
      return nil
    }
    guard passed >= needed - stood else {
      stood += passed
      return nil
    }
    let due = followedTo.advanced(needed - stood)
    isDown = contactIsDown
    stood = 0
    return Edge(isDown: isDown, time: due)
  }

  private mutating func passIfNothingIsNeeded(_ time: UInt64) -> Edge? {
    guard needed == 0, contactIsDown != isDown else { return nil }
    isDown = contactIsDown
    return Edge(isDown: isDown, time: time)
  }
}
