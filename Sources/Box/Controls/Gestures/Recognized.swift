// A recognized bound gesture. Pure value; control thread.

/// The bound trigger that acts, with its count and time.
package struct Recognized: Hashable, Sendable {
  /// The bound trigger.
  package let trigger: Trigger
  /// For `left` and `right` the steps, including acceleration; otherwise 1.
  package let count: Int
  /// For `left` and `right` the detents; otherwise 1.
  package let detents: Int
  /// Nanoseconds: the time of the edge that made the gesture, or the end of the wait for a further edge.
  package let time: UInt64

  /// Creates a recognized gesture.
  package init(_ trigger: Trigger, count: Int = 1, detents: Int? = nil, at time: UInt64) {
    self.trigger = trigger
    self.count = count
    self.detents = detents ?? count
    self.time = time
  }

  /// The steps, with at most `maximum` of them for each detent.
  package func steps(max maximum: Int) -> Int { min(count, detents * max(1, maximum)) }

  /// Whether the gesture repeats while a button is held or a knob is turned.
  package var isRepeated: Bool { trigger.gesture.isTurn || trigger.gesture == .hold }
}
