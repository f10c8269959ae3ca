// Setup of a simulated box: configuration, clock and the sound card's initial absence. Plain data with a text form;
// any thread.

/// Setup of the box in a world, apart from its sound card and tracks.
package struct BoxPlan: Equatable, Sendable {
  /// GPIO line of the status LED.
  static let lightLine = 22
  /// Configuration lines that every simulated box starts with; `BoxPlan.configuration` is appended.
  static let configuration = [
    "set media.root /music", "set media.removable /media", "set checkpoint.path /state",
    "set log.level debug",
    "set cues.enabled off", "set start.safe-button off", "led status gpio gpiochip0 \(lightLine)",
  ]

  /// Seed for simulated storage, torn writes and shuffling.
  package var seed: UInt64 = 1
  /// Further lines of the configuration.
  package var configuration: [String] = []
  /// Milliseconds after the first power-on during which there is no sound card.
  package var cardAbsent = 0
  /// Minutes since midnight at the first power-on.
  package var minute = 12 * 60
  /// Whether the GPIO chip debounces in hardware.
  package var debounces = false
  /// Milliseconds between two `status` requests.
  package var polls = 900

  /// Creates the default box.
  package init() {}
}

extension BoxPlan {
  /// Whether cues are enabled.
  var playsCues: Bool { configuration.contains("set cues.enabled on") }
  /// Whether the configuration names a file for a cue; otherwise the built-in cue plays.
  func hasFile(ofCue name: String) -> Bool {
    configuration.contains { $0.hasPrefix("set cues.\(name) /") }
  }
  /// Whether the configuration has live sources.
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
