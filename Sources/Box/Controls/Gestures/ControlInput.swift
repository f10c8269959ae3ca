// What controls report, before it means anything. Pure values; control thread.

/// A change of one control.
package enum ControlInput: Hashable, Sendable {
  /// A button has gone down.
  case down(ControlName)
  /// A button has come up.
  case up(ControlName)
  /// A knob was turned by so many detents; to the right is positive.
  case turn(ControlName, detents: Int)

  /// The control that has changed.
  package var name: ControlName {
    switch self {
    case .down(let name), .up(let name), .turn(let name, _): name
    }
  }

  /// As a serial panel sends it: `down play`, `turn volume -1`.
  package var text: String {
    switch self {
    case .down(let name): "down " + name.text
    case .up(let name): "up " + name.text
    case .turn(let name, let detents): "turn " + name.text + (detents > 0 ? " +" : " ") + String(detents)
    }
  }
}

/// A change and when it happened.
package struct TimedInput: Hashable, Sendable {
  /// What changed.
  package let input: ControlInput
  /// Nanoseconds of CLOCK_MONOTONIC, by the kernel's time stamp where there is one.
  package let time: UInt64

  /// A change at a time.
  package init(_ input: ControlInput, at time: UInt64) {
    self.input = input
    self.time = time
  }
}
