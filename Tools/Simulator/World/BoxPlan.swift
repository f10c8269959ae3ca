// How a simulated box is set up. Data with a textual form; any thread.

/// The box of a world, beside its card and its music.
package struct BoxPlan: Equatable, Sendable {
  /// The line of the chip that the light is on.
  static let lightLine = 22
  /// What every box is configured with; a world's own lines come after it.
  static let configuration = [
    "set media.root /music", "set media.removable /media", "set checkpoint.path /state",
    "set log.level debug",
    "set cues.enabled off", "set start.safe-button off", "led status gpio gpiochip0 \(lightLine)",
  ]

  /// What storage, tears and shuffling follow from.
  package var seed: UInt64 = 1
  /// More lines of the configuration.
  package var configuration: [String] = []
  /// Milliseconds for which there is no card after the first power-on.
  package var cardAbsent = 0
  /// Minutes since midnight at the first power-on.
  package var minute = 12 * 60
  /// Whether the GPIO chip debounces.
  package var debounces = false
  /// Milliseconds between two looks at `status`.
  package var polls = 900

  /// A box.
  package init() {}
}

extension BoxPlan {
  /// Whether the box has sounds of its own.
  var playsCues: Bool { configuration.contains("set cues.enabled on") }
  /// Whether one of them has a file of its own; otherwise it is the one that is built in.
  func hasFile(ofCue name: String) -> Bool {
    configuration.contains { $0.hasPrefix("set cues.\(name) /") }
  }
  /// Whether somebody may send to it.
  var hasSources: Bool { configuration.contains { $0.hasPrefix("source ") } }

  var lines: [String] {
    var lines = ["box seed \(seed)"]
    if cardAbsent > 0 { lines.append("box card-absent \(cardAbsent)") }
    if minute != 12 * 60 { lines.append("box clock \(minute)") }
    if debounces { lines.append("box debounces") }
    if polls != 900 { lines.append("box polls \(polls)") }
    return lines + configuration.map { "box config " + $0 }
  }

  mutating func read(_ words: [Substring]) throws(ScriptFault) {
    func number() throws(ScriptFault) -> Int {
      guard words.count == 2, let value = Int(words[1]), value >= 0 else {
        throw ScriptFault("'box \(words.first ?? "")' wants a number")
      }
      return value
    }
    switch words.first {
    case "seed": seed = UInt64(try number())
    case "card-absent": cardAbsent = try number()
    case "clock": minute = try number() % 1440
    case "debounces": debounces = true
    case "polls": polls = max(50, try number())
    case "config": configuration.append(words.dropFirst().joined(separator: " "))
    default: throw ScriptFault("a box has seed, card-absent, clock, debounces, polls and config")
    }
  }
}
