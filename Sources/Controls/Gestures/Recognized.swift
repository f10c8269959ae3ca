// A gesture that somebody bound and that has just been made. Pure value; control thread.

/// What the recognizer hands on: which binding acts, how often, and when.
package struct Recognized: Hashable, Sendable {
  /// The bound trigger.
  package let trigger: Trigger
  /// For `left` and `right` the steps, acceleration included; otherwise 1.
  package let count: Int
  /// Nanoseconds: of the edge that made the gesture, or of the moment when waiting for more was over.
  package let time: UInt64

  /// A gesture at a time.
  package init(_ trigger: Trigger, count: Int = 1, at time: UInt64) {
    self.trigger = trigger
    self.count = count
    self.time = time
  }
}
