// A gesture that somebody bound and that has just been made. Pure value; control thread.

/// What the recognizer hands on: which binding acts, how often, and when.
package struct Recognized: Hashable, Sendable {
  /// The bound trigger.
  package let trigger: Trigger
  /// For `left` and `right` the steps, acceleration included; otherwise 1.
  package let count: Int
  /// For `left` and `right` the detents; otherwise 1.
  package let detents: Int
  /// Nanoseconds: of the edge that made the gesture, or of the moment when waiting for more was over.
  package let time: UInt64

  /// A gesture at a time.
  package init(_ trigger: Trigger, count: Int = 1, detents: Int? = nil, at time: UInt64) {
    self.trigger = trigger
    self.count = count
    self.detents = detents ?? count
    self.time = time
  }

  /// The steps, where a detent counts `maximum` of them at most.
  package func steps(max maximum: Int) -> Int { min(count, detents * max(1, maximum)) }

  /// Whether the gesture repeats while a button is held or a knob is turned.
  package var isRepeated: Bool { trigger.gesture.isTurn || trigger.gesture == .hold }
}
