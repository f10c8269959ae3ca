// One clean edge for each press and release, from a contact that bounces. Pure value; control thread.

/// Debounces one line, where neither the kernel nor a driver does.
///
/// A new level counts when it has stood for the debounce time, and what it was gone in between is taken off
/// that, not begun anew: so a bounce is over when it is over, a glitch that lasts less than the time is
/// nothing, and glitches that come again and again delay a press but never hide it. The clean edge has the
/// time at which it counted, as the kernel's own debounce does: causes stay before effects, and timers that
/// run meanwhile need not wait for a line that has not made up its mind.
///
/// Driven by `deadline`: nil while the line is at rest.
package struct Debouncer: Sendable {
  /// A clean edge.
  package struct Edge: Hashable, Sendable {
    /// Whether the button went down.
    package let isDown: Bool
    /// Nanoseconds: when the level had stood long enough.
    package let time: UInt64
  }

  /// The clean level.
  package private(set) var isDown: Bool
  /// The level of the contact.
  private var contactIsDown: Bool
  /// Until when the contact has been followed.
  private var followedTo: UInt64 = 0
  /// How long it has stood against the clean level, less how long it has not; 0 to `needed`.
  private var stood: UInt64 = 0
  private let needed: UInt64

  /// - Parameters:
  ///   - milliseconds: how long a level must stand; 0 lets all edges through.
  ///   - isDown: the level now. A button that is held at power-on has no edge.
  package init(milliseconds: Int, isDown: Bool = false) {
    needed = UInt64(min(max(milliseconds, 0), 10_000)) * 1_000_000
    self.isDown = isDown
    contactIsDown = isDown
  }

  /// When `advance` wants to be called; nil while the line is at rest.
  package var deadline: UInt64? {
    contactIsDown == isDown ? nil : followedTo.advanced(needed - stood)
  }

  /// The contact has changed. An edge to the level that it has already is only the time passing.
  package mutating func edge(isDown level: Bool, at time: UInt64) -> Edge? {
    let edge = advance(to: time)
    contactIsDown = level
    return edge ?? passIfNothingIsNeeded(time)
  }

  /// The level was read, because edges were lost. If it is not what the edges said, nobody knows since
  /// when, and the time since the last edge counts for neither level.
  ///
  /// The queue of edges must have been read empty before: an edge that is still in it is not lost.
  package mutating func level(isDown level: Bool, at time: UInt64) -> Edge? {
    if level == contactIsDown { return advance(to: time) }
    followedTo = time
    contactIsDown = level
    return passIfNothingIsNeeded(time)
  }

  /// Lets time pass.
  package mutating func advance(to time: UInt64) -> Edge? {
    let passed = time.since(followedTo)
    // A time stamp may have been nonsense: following it back keeps later edges going.
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
