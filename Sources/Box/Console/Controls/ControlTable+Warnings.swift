// Detects bindings and timings that can never take effect, and GPIO lines that two controls use. Pure; control thread.

import Controls

extension ControlTable {
  /// One sentence for each binding, timing and GPIO line that cannot work, with a remedy.
  package var warnings: [String] {
    undeclared.map { "A binding names '" + $0.text + "', but no such button or knob is declared." }
      + impossible + untimed + outlasted + shared
  }

  private func isKnob(_ name: ControlName) -> Bool { declarations.knobs.contains { $0.name == name } }

  /// Gestures that their controls do not have: turns of buttons, and presses of knobs.
  private var impossible: [String] {
    var sentences: [String] = []
    for binding in bindings.bindings {
      let trigger = binding.trigger
      let knobs = trigger.controls.filter { isKnob($0) }
      guard trigger.controls.allSatisfy({ isDeclared($0) }) else { continue }
      let reason: String
      if !trigger.gesture.isTurn, let knob = knobs.first {
        reason =
          "'" + knob.text
          + "' is a knob, which has only left and right. Declare its button under another name."
      } else if trigger.gesture.isTurn, knobs.isEmpty {
        reason =
          "only a knob turns, and none of its controls is one. Declare it with 'knob', or bind a press."
      } else if trigger.gesture.isTurn, knobs.count > 1 {
        reason = "one knob turns while buttons are held; name one knob."
      } else {
        continue
      }
      let sentence = "'" + trigger.text + "' is never reached: " + reason
      if !sentences.contains(sentence) { sentences.append(sentence) }
    }
    return sentences
  }

  /// Timings of controls that are no buttons.
  private var untimed: [String] {
    declarations.timings.keys.sorted().compactMap { name in
      guard !declarations.buttons.contains(where: { $0.name == name }) else { return nil }
      return "A timing names '" + name.text + "', but "
        + (isKnob(name) ? "it is a knob; timings are for buttons." : "no such button is declared.")
    }
  }

  /// GPIO lines that more than one control uses.
  private var shared: [String] {
    var sentences: [String] = []
    var first: [(control: String, line: GPIOLine)] = []
    for (control, line) in declarations.gpioLines {
      guard let other = first.first(where: { $0.line.chip == line.chip && $0.line.offset == line.offset })
      else {
        first.append((control, line))
        continue
      }
      let users =
        other.control == control
        ? "'" + control + "' uses" : "'" + other.control + "' and '" + control + "' both use"
      sentences.append(
        users + " line " + String(line.offset) + " of " + line.chip
          + (other.control == control ? " twice" : "")
          + ": a line works for one control only. Declare one of them on the line that it is wired to.")
    }
    return sentences
  }

  /// `long` bindings that are never reached because `hold` on the same controls comes first.
  private var outlasted: [String] {
    var sentences: [String] = []
    for binding in bindings.bindings where binding.trigger.gesture == .long {
      let controls = binding.trigger.controls
      let isHeld = bindings.bindings.contains {
        $0.trigger.gesture == .hold && $0.trigger.controls == controls
      }
      let timing = GestureTiming.slowest(of: controls.map { declarations.timing(of: $0) })
      guard isHeld, timing.hold <= timing.long, let first = controls.first else { continue }
      let wanted = min(timing.long * 2, GestureTiming.Key.hold.range.upperBound)
      let sentence =
        "'" + binding.trigger.text + "' is never reached: 'hold' of the same comes after "
        + String(timing.hold)
        + " ms, and then there is no 'long'. 'timing " + first.text + " hold " + String(wanted)
        + "' makes it the later one."
      if !sentences.contains(sentence) { sentences.append(sentence) }
    }
    return sentences
  }
}
