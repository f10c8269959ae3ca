// The on and off steps of light patterns. Pure values; any thread.

import PlaybackModel

/// A light on or off for a time.
package struct LightStep: Hashable, Sendable {
  /// Whether the light is on.
  package let isOn: Bool
  /// The duration in milliseconds; nil: until the next indicator.
  package let milliseconds: Int?

  /// Creates a step.
  package init(_ isOn: Bool, milliseconds: Int?) {
    self.isOn = isOn
    self.milliseconds = milliseconds
  }
}

extension Indicator {
  /// The most flashes of a pattern. Error patterns differ in their number of flashes, so the limit is above
  /// all of them.
  package static let maxFlashes = 16

  /// The steps of the pattern, which repeat; a single step without a duration for a steady light. On lights
  /// without brightness, breathing is a slow blink.
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

/// Patterns as a function of time.
package enum LightRhythm {
  /// Whether a light without brightness is on at a time.
  ///
  /// - Parameters:
  ///   - pattern: The pattern.
  ///   - nanoseconds: The time since the pattern began.
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
