// What a table of controls says that cannot be meant. Pure; control thread.

import Controls

extension ControlTable {
  /// Bindings that can never act, a sentence each: what is wrong and what to do.
  package var warnings: [String] {
    undeclared.map { "A binding names '" + $0.text + "', but no such button or knob is declared." }
      + outlasted
  }

  /// A `long` that its own button's `hold` comes before.
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
