// How a light moves, as steps. Pure values; any thread.

import PlaybackModel

/// A light on or off for a time.
package struct LightStep: Hashable, Sendable {
  /// Whether it is on.
  package let isOn: Bool
  /// For how long, in milliseconds; nil: until something else is shown.
  package let milliseconds: Int?

  /// On or off for a time.
  package init(_ isOn: Bool, milliseconds: Int?) {
    self.isOn = isOn
    self.milliseconds = milliseconds
  }
}

extension Indicator {
  /// The most flashes in a row. Each error has its own number, so no light is shown with fewer than its name says.
  package static let maxFlashes = 16

  /// The steps of its pattern, again and again; one without end for a light that does not move. A light that knows
  /// on and off alone breathes as a slow blink, where the kernel moves it.
  package var steps: [LightStep] {
    guard colour != .none else { return [LightStep(false, milliseconds: nil)] }
    switch pattern {
    case .off: return [LightStep(false, milliseconds: nil)]
    case .steady: return [LightStep(true, milliseconds: nil)]
    case .breathing: return Self.blink(2000, 2000)
    case .slowBlink: return Self.blink(500, 500)
    case .fastBlink: return Self.blink(100, 100)
    case .rareBlink: return Self.blink(500, 2000)
    case .shortGaps: return Self.blink(900, 100)
    case .flashes(let count):
      var steps: [LightStep] = []
      for _ in 0..<min(max(count, 1), Self.maxFlashes) { steps += Self.blink(120, 230) }
      steps[steps.count - 1] = LightStep(false, milliseconds: 1500)
      return steps
    }
  }

  private static func blink(_ on: Int, _ off: Int) -> [LightStep] {
    [LightStep(true, milliseconds: on), LightStep(false, milliseconds: off)]
  }
}

/// Patterns in time.
package enum LightRhythm {
  /// Whether a light that knows on and off alone is on, so many nanoseconds after a pattern has begun.
  package static func isLit(_ pattern: Indicator.Pattern, at nanoseconds: UInt64) -> Bool {
    let steps = Indicator(.green, pattern).steps
    var round = 0
    for step in steps {
      guard let milliseconds = step.milliseconds else { return step.isOn }
      round += milliseconds
    }
    var rest = Int(nanoseconds / 1_000_000 % UInt64(round))
    for step in steps {
      rest -= step.milliseconds ?? 0
      if rest < 0 { return step.isOn }
    }
    return false
  }
}
