// A small language for button and knob events, and its interpreter. Test threads.

import Controls

/// A control name that must be valid.
func name(_ text: String) -> ControlName { ControlName(text)! }

/// Parses a trigger such as `a+b long`.
func trigger(_ text: String) -> Trigger {
  let words = text.split(separator: " ")
  let gesture = Gesture.allCases.first { $0.name == String(words[1]) }!
  return Trigger(words[0].split(separator: "+").map { name(String($0)) }, gesture)!
}

/// Milliseconds in nanoseconds.
func milliseconds(_ count: Int) -> UInt64 { UInt64(count) * 1_000_000 }

extension GestureRecognizer {
  init(_ bound: [String], _ timings: [String: GestureTiming] = [:]) {
    self.init(bound: Set(bound.map(trigger))) { timings[$0.text] ?? GestureTiming() }
  }

  /// Plays a script: `0 a down, 30 a up, 50 knob -2, 1000 .` with times in milliseconds; `.` lets time pass.
  ///
  /// - Parameter isLate: Whether `advance` is called only with inputs.
  mutating func play(_ script: String, isLate: Bool = false) -> [Recognized] {
    var gestures: [Recognized] = []
    for step in script.split(separator: ",") {
      let words = step.split(separator: " ").map(String.init)
      let time = milliseconds(Int(words[0])!)
      while !isLate, let due = deadline, due <= time { gestures += advance(to: due) }
      guard words.count == 3 else {
        gestures += advance(to: time)
        continue
      }
      let control = name(words[1])
      let input: ControlInput =
        switch words[2] {
        case "down": .down(control)
        case "up": .up(control)
        default: .turn(control, detents: Int(words[2])!)
        }
      gestures += take(TimedInput(input, at: time))
    }
    return gestures
  }
}

extension Recognized {
  /// `800 a long`, `800 knob right 2`.
  var text: String {
    "\(time / 1_000_000) \(trigger.text)" + (count == 1 ? "" : " \(count)")
  }
}
