// The motion of one light, in terms of the kernel's LED triggers. Pure values; any thread.

import PlaybackModel

/// The motion of one light, and its translation to the kernel's LED triggers.
struct LightMotion: Hashable {
  let steps: [LightStep]
  /// Whether brightness changes gradually, on lights that can.
  let isSoft: Bool
  /// Whether the motion shows a resting state, which is not worth a timer's wake-ups.
  let isRest: Bool

  /// Creates a light's motion for an indicator; dark unless `isLit`.
  init(_ indicator: Indicator, isLit: Bool) {
    steps = isLit ? indicator.steps : [LightStep(false, milliseconds: nil)]
    isSoft = isLit && indicator.pattern == .breathing
    isRest = isLit && (indicator.pattern == .breathing || indicator.pattern == .slowBlink)
  }

  /// Whether the light is constantly on or off; nil if it changes.
  var steady: Bool? { steps[0].milliseconds == nil ? steps[0].isOn : nil }

  /// Milliseconds on and off for the trigger `timer`; nil if the motion is no even blinking.
  var blink: (on: Int, off: Int)? {
    guard steps.count == 2, let on = steps[0].milliseconds, let off = steps[1].milliseconds else {
      return nil
    }
    return (on, off)
  }

  /// Pairs of brightness and milliseconds for the trigger `pattern` (Documentation/leds/ledtrig-pattern.rst).
  /// The trigger fades linearly between values, so a constant level is written twice.
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
