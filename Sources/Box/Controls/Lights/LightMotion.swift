// How one light moves, as the kernel's triggers take it. Pure values; any thread.

import PlaybackModel

/// What one light does. Tells how the kernel can do it without us.
struct LightMotion: Hashable {
  let steps: [LightStep]
  /// Whether it swells and fades, where the light can.
  let isSoft: Bool
  /// Whether it belongs to a state in which nothing happens until somebody comes: not worth waking for.
  let isRest: Bool

  /// What a light does for an indicator, if its colour is part of it; else it is dark.
  init(_ indicator: Indicator, isLit: Bool) {
    steps = isLit ? indicator.steps : [LightStep(false, milliseconds: nil)]
    isSoft = isLit && indicator.pattern == .breathing
    isRest = isLit && (indicator.pattern == .breathing || indicator.pattern == .slowBlink)
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
