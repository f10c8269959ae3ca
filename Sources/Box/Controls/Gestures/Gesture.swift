// What people do with buttons and knobs, and what a binding waits for. Pure values; any thread.

/// A way to use a control.
package enum Gesture: UInt8, Hashable, Sendable, CaseIterable {
  /// The button goes down.
  case press
  /// The button comes up, however long it was down.
  case release
  /// Down and up within the time of `long`, and not part of a double or triple that somebody bound.
  case short
  /// Two shorts in a row.
  case double
  /// Three shorts in a row.
  case triple
  /// Down for the time of `long`; acts while the button is still down.
  case long
  /// Down for longer than the time of `hold`: acts then and again and again, ever faster.
  case hold
  /// A detent to the left.
  case left
  /// A detent to the right.
  case right

  /// As it is written in `bind`.
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

  /// What it is, for help and completion.
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

  /// Whether it is a knob's.
  package var isTurn: Bool { self == .left || self == .right }
}

/// A gesture on certain controls: one button, several at once, a knob, or a knob while buttons are held.
package struct Trigger: Hashable, Sendable {
  /// The most controls of a chord.
  package static let maxControls = 4

  /// The controls, sorted, each once. For `left` and `right` one of them is the knob, the others are held.
  package let controls: [ControlName]
  /// What is done with them.
  package let gesture: Gesture

  /// Nil without controls, with more than `maxControls`, or with one twice.
  package init?(_ controls: [ControlName], _ gesture: Gesture) {
    let sorted = controls.sorted()
    guard !sorted.isEmpty, sorted.count <= Self.maxControls else { return nil }
    for index in sorted.indices.dropFirst() where sorted[index] == sorted[index - 1] { return nil }
    self.controls = sorted
    self.gesture = gesture
  }

  /// `next+prev long`, as `bind` takes it.
  package var text: String {
    var text = ""
    for control in controls { text += (text.utf8.isEmpty ? "" : "+") + control.text }
    return text + " " + gesture.name
  }
}
