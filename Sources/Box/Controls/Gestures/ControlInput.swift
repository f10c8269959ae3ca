// Raw input of buttons and knobs, before gesture recognition. Pure values; control thread.

/// A change of one control.
package enum ControlInput: Hashable, Sendable {
  /// A button was pressed.
  case down(ControlName)
  /// A button was released.
  case up(ControlName)
  /// A knob was turned by a number of detents; positive is to the right.
  case turn(ControlName, detents: Int)

  /// The control that has changed.
  package var name: ControlName {
    switch self {
    case .down(let name), .up(let name), .turn(let name, _): name
    }
  }

  /// The line in a panel's protocol: `down play`, `turn volume -1`.
  package var text: String {
    switch self {
    case .down(let name): "down " + name.text
    case .up(let name): "up " + name.text
    case .turn(let name, let detents): "turn " + name.text + (detents > 0 ? " +" : " ") + String(detents)
    }
  }
}

/// An input with its time.
package struct TimedInput: Hashable, Sendable {
  /// The input.
  package let input: ControlInput
  /// Nanoseconds of CLOCK_MONOTONIC; the kernel's time stamp if there is one.
  package let time: UInt64

  /// Creates a timed input.
  package init(_ input: ControlInput, at time: UInt64) {
    self.input = input
    self.time = time
  }
}
