// Colour and blink pattern of a status LED. Pure values; control thread.

/// What a status LED shows for a state or an error.
package struct Indicator: Hashable, Sendable {
  /// Colours of a three-colour LED. A single-colour LED shows only the pattern.
  package enum Colour: Hashable, Sendable, CaseIterable {
    case none, green, blue, cyan, amber, red, violet

    /// Name in the console.
    package var name: String {
      switch self {
      case .none: "none"
      case .green: "green"
      case .blue: "blue"
      case .cyan: "cyan"
      case .amber: "amber"
      case .red: "red"
      case .violet: "violet"
      }
    }
  }

  /// Blink pattern. The rhythms differ enough to be recognised without colour.
  package enum Pattern: Hashable, Sendable {
    /// Off.
    case off
    /// Always on.
    case steady
    /// Brightens and dims with a period of 4 s.
    case breathing
    /// 0.5 s on, 0.5 s off.
    case slowBlink
    /// 0.1 s on, 0.1 s off.
    case fastBlink
    /// 0.5 s on, 2 s off.
    case rareBlink
    /// On, with a gap of 0.1 s in each second.
    case shortGaps
    /// This many short flashes, then a pause of 1.5 s.
    case flashes(Int)
  }

  /// The colour.
  package var colour: Colour
  /// The pattern.
  package var pattern: Pattern

  /// A colour in a pattern.
  package init(_ colour: Colour, _ pattern: Pattern) {
    self.colour = colour
    self.pattern = pattern
  }

  /// The player has crashed repeatedly and started in safe mode; same as an internal error.
  package static var carefulStart: Indicator { PlaybackError(.internal).indicator }
  /// Lines of the configuration were skipped.
  package static var skippedLines: Indicator { Indicator(.amber, .flashes(14)) }
  /// Playback waits for storage that does not respond.
  package static var waitingForStorage: Indicator { Indicator(.amber, .shortGaps) }
  /// A change by the user cannot be saved and is lost when the power is cut.
  package static var notSaved: Indicator { Indicator(.amber, .flashes(15)) }

  /// Parses the output of `text`; nil for any other string.
  package init?(text: String) {
    for colour in Colour.allCases {
      let patterns: [Pattern] =
        [.off, .steady, .breathing, .slowBlink, .fastBlink, .rareBlink, .shortGaps]
        + (1...16).map { .flashes($0) }
      for pattern in patterns where Indicator(colour, pattern).text == text {
        self = Indicator(colour, pattern)
        return
      }
    }
    return nil
  }

  /// Description in words: `green steady`, `red 3 flashes`.
  package var text: String {
    let rhythm =
      switch pattern {
      case .off: "off"
      case .steady: "steady"
      case .breathing: "breathing"
      case .slowBlink: "slow blink"
      case .fastBlink: "fast blink"
      case .rareBlink: "rare blink"
      case .shortGaps: "short gaps"
      case .flashes(let count): String(count) + (count == 1 ? " flash" : " flashes")
      }
    return colour == .none ? rhythm : colour.name + " " + rhythm
  }
}
