// Connections and settings read from a box's configuration, for the simulated users and the oracle. Pure values; any
// thread.

/// Where the configured buttons, knobs and live sources are connected.
struct Wiring {
  enum Place: Equatable {
    case line(Int)
    case key(UInt16)
    case panel
  }

  private(set) var buttons: [(name: String, place: Place)] = []
  private(set) var knobs: [(name: String, lines: (a: Int, b: Int))] = []
  /// Live sources, and whether each takes over the output whatever is playing.
  private(set) var sources: [(name: String, takesOverAlways: Bool)] = []

  init(_ configuration: [String]) {
    for line in configuration {
      let words = line.split(separator: " ").map { String($0) }
      guard words.count > 2 else { continue }
      switch (words[0], words[2]) {
      case ("button", "gpio") where words.count > 4:
        if let offset = Int(words[4]) { buttons.append((words[1], .line(offset))) }
      case ("button", "key") where words.count > 3:
        if let code = UInt16(words[3].drop { !$0.isNumber }) { buttons.append((words[1], .key(code))) }
      case ("button", "panel"): buttons.append((words[1], .panel))
      case ("source", "fifo"): sources.append((words[1], true))
      case ("source", "takes-over") where words.count > 3:
        for place in sources.indices where sources[place].name == words[1] {
          sources[place].takesOverAlways = words[3] == "always"
        }
      case ("knob", "gpio") where words.count > 5:
        if let a = Int(words[4]), let b = Int(words[5]) { knobs.append((words[1], (a, b))) }
      default: break
      }
    }
  }
}

/// Settings that the oracle checks against. Parsed independently of the daemon's own code.
struct BoxSettings {
  var maximum = 100
  var night: (from: Int, to: Int, maximum: Int)?
  var interval = 10.0
  /// Buttons and the commands of their `press` bindings.
  var pressed: [(button: String, command: String)] = []
  /// All bindings, as button and gesture with the command.
  var bound: [(gesture: String, command: String)] = []

  init(_ configuration: [String]) {
    var (from, to, most): (Int?, Int, Int) = (nil, 7 * 60, 30)
    for line in configuration {
      let words = line.split(separator: " ").map { String($0) }
      guard words.count > 2 else { continue }
      if words[0] == "bind", words.count > 3, words[3] != "when" {
        let command = words.dropFirst(3).joined(separator: " ").filter { $0 != "\"" }
        if words[2] == "press" {
          pressed.append((words[1], command))
        } else {
          bound.append((words[1] + " " + words[2], command))
        }
      }
      guard words[0] == "set" else { continue }
      switch words[1] {
      case "volume.maximum": maximum = Int(words[2]) ?? 100
      case "night.from": from = Self.minutes(words[2])
      case "night.to": to = Self.minutes(words[2]) ?? to
      case "night.maximum": most = Int(words[2]) ?? most
      case "checkpoint.interval": interval = Double(words[2]) ?? 10
      default: break
      }
    }
    if let from, from != to { night = (from, to, most) }
  }

  private static func minutes(_ text: String) -> Int? {
    let parts = text.split(separator: ":").compactMap { Int($0) }
    return parts.count == 2 ? parts[0] * 60 + parts[1] : nil
  }

  /// The maximum volume in percent at a minute of the day.
  func most(at minute: Int) -> Int {
    guard let night else { return maximum }
    // Minutes since the night began, wrapping at midnight.
    let since = (minute - night.from + 1440) % 1440
    let length = (night.to - night.from + 1440) % 1440
    return since < length ? min(maximum, night.maximum) : maximum
  }
}
