// What controls report, before it means anything. Pure values; control thread.

/// A change of one control.
public enum ControlInput: Hashable, Sendable {
  /// A button has gone down.
  case down(ControlName)
  /// A button has come up.
  case up(ControlName)
  /// A knob was turned by so many detents; to the right is positive.
  case turn(ControlName, detents: Int)
}

/// A change and when it happened.
public struct TimedInput: Hashable, Sendable {
  /// What changed.
  public let input: ControlInput
  /// Nanoseconds of CLOCK_MONOTONIC, by the kernel's time stamp where there is one.
  public let time: UInt64

  /// A change at a time.
  public init(_ input: ControlInput, at time: UInt64) {
    self.input = input
    self.time = time
  }
}
