// Gestures on buttons and knobs, and the triggers that bindings use. Pure values; any thread.

/// A gesture on a control.
package enum Gesture: UInt8, Hashable, Sendable, CaseIterable {
  /// The button goes down.
  case press
  /// The button comes up, after any time.
  case release
  /// Down and up within the time of `long`, and not part of a bound double or triple.
  case short
  /// Two shorts in a row.
  case double
  /// Three shorts in a row.
  case triple
  /// Down for the time of `long`; acts while the button is still down.
  case long
  /// Down for the time of `hold`; acts then and repeatedly, with shrinking intervals.
  case hold
  /// One detent to the left.
  case left
  /// One detent to the right.
  case right

  /// The word in `bind`.
  package var name: String {
    switch self {
    case .press: "press"
    case .release: "release"
    case .short: "short"
    case .double: "double"
    case .triple: "triple"
    case .long: "long"
    case .hold: "hold"
    case .left: "left"
    case .right: "right"
    }
  }

  /// The explanation for help and completion.
  package var explanation: String {
    switch self {
    case .press: "it goes down"
    case .release: "it comes up"
    case .short: "down and up again"
    case .double: "twice in a row"
    case .triple: "three times in a row"
    case .long: "held down"
    case .hold: "held down, again and again"
    case .left: "a step to the left"
    case .right: "a step to the right"
    }
  }

  /// Whether the gesture is on a knob.
  package var isTurn: Bool { self == .left || self == .right }
}

/// A gesture on certain controls: a button, a chord of buttons, a knob, or a knob while buttons are held.
package struct Trigger: Hashable, Sendable {
  /// The most controls of a trigger.
  package static let maxControls = 4

  /// The controls, sorted and distinct. For `left` and `right`, one of them is the knob; the rest are held.
  package let controls: [ControlName]
  /// The gesture.
  package let gesture: Gesture

  /// Creates a trigger; nil for no controls, more than `maxControls`, or duplicates.
  package init?(_ controls: [ControlName], _ gesture: Gesture) {
    let sorted = controls.sorted()
    guard !sorted.isEmpty, sorted.count <= Self.maxControls else { return nil }
    for index in sorted.indices.dropFirst() where sorted[index] == sorted[index - 1] { return nil }
    self.controls = sorted
    self.gesture = gesture
  }

  /// The text in `bind`: `next+prev long`.
  package var text: String {
    var text = ""
    for control in controls { text += (text.utf8.isEmpty ? "" : "+") + control.text }
    return text + " " + gesture.name
  }
}
