// How a light moves: an indicator as steps, and as the kernel's triggers take it. Pure values; any thread.

import PlaybackModel

/// A light on or off for a time.
public struct LightStep: Hashable, Sendable {
  /// Whether it is on.
  public let isOn: Bool
  /// For how long, in milliseconds; nil: until something else is shown.
  public let milliseconds: Int?

  /// On or off for a time.
  public init(_ isOn: Bool, milliseconds: Int?) {
    self.isOn = isOn
    self.milliseconds = milliseconds
  }
}

extension Indicator {
  /// The most flashes in a row; nobody counts further.
  public static let mostFlashes = 9

  /// The steps of its pattern, again and again; one without end for a light that does not move. A light that knows
  /// on and off alone breathes as a slow blink.
  public var steps: [LightStep] {
    guard colour != .none else { return [LightStep(false, milliseconds: nil)] }
    switch pattern {
    case .off: return [LightStep(false, milliseconds: nil)]
    case .steady: return [LightStep(true, milliseconds: nil)]
    case .breathing: return Self.blink(2000, 2000)
    case .slowBlink: return Self.blink(500, 500)
    case .fastBlink: return Self.blink(100, 100)
    case .flashes(let count):
      var steps: [LightStep] = []
      for _ in 0..<min(max(count, 1), Self.mostFlashes) { steps += Self.blink(120, 230) }
      steps[steps.count - 1] = LightStep(false, milliseconds: 1500)
      return steps
    }
  }

  private static func blink(_ on: Int, _ off: Int) -> [LightStep] {
    [LightStep(true, milliseconds: on), LightStep(false, milliseconds: off)]
  }
}

/// What one light does. Tells how the kernel can do it without us.
struct LightRhythm: Hashable {
  let steps: [LightStep]
  /// Whether it swells and fades, where the light can.
  let isSoft: Bool

  /// What a light does for an indicator, if its colour is part of it; else it is dark.
  init(_ indicator: Indicator, isLit: Bool) {
    steps = isLit ? indicator.steps : [LightStep(false, milliseconds: nil)]
    isSoft = isLit && indicator.pattern == .breathing
  }

  /// On or off all the time; nil if it moves.
  var steady: Bool? { steps[0].milliseconds == nil ? steps[0].isOn : nil }

  /// Milliseconds on and off, for the trigger `timer`; nil if it is no even blinking.
  var blink: (on: Int, off: Int)? {
    guard steps.count == 2, let on = steps[0].milliseconds, let off = steps[1].milliseconds else {
      return nil
    }
    return (on, off)
  }

  /// Brightnesses and milliseconds for the trigger `pattern` (Documentation/leds/ledtrig-pattern.rst): it moves
  /// evenly from each brightness to the next, so a level that stands is written twice.
  func pattern(brightest: Int) -> String {
    var text = ""
    for step in steps {
      let (level, time) = (String(step.isOn ? brightest : 0), String(step.milliseconds ?? 0))
      if !text.utf8.isEmpty { text += " " }
      if isSoft {
        text += String(step.isOn ? 0 : brightest) + " " + time
      } else {
        text += level + " " + time + " " + level + " 0"
      }
    }
    return text
  }
}
