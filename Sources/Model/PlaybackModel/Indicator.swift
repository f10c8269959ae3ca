// What a status LED shows: a colour and a pattern. Pure values; control thread.

/// What a status LED shows for a state or an error.
package struct Indicator: Hashable, Sendable {
  /// Colours of a three-colour LED; a box with one LED shows the pattern alone.
  package enum Colour: Hashable, Sendable, CaseIterable {
    case none, green, blue, cyan, amber, red, violet

    /// The name on the console.
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

  /// How the light moves. The patterns differ in rhythm, so that they are told apart without colour.
  package enum Pattern: Hashable, Sendable {
    /// Dark.
    case off
    /// On all the time.
    case steady
    /// Swells and fades, 4 s a round.
    case breathing
    /// Half a second on, half a second off.
    case slowBlink
    /// A tenth of a second on, a tenth off.
    case fastBlink
    /// Half a second on, two seconds off.
    case rareBlink
    /// On, but for a tenth of a second in each.
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

  /// The box has died again and again, and has started with care: as for any error of the box itself.
  package static var carefulStart: Indicator { PlaybackError(.internal).indicator }
  /// Lines of the configuration are skipped.
  package static var skippedLines: Indicator { Indicator(.amber, .flashes(14)) }
  /// Nothing is heard because storage does not answer.
  package static var waitingForStorage: Indicator { Indicator(.amber, .shortGaps) }
  /// A change that a person has made cannot be stored: it is lost when the power goes.
  package static var notSaved: Indicator { Indicator(.amber, .flashes(15)) }

  /// Reads what `text` has written; nil for anything else.
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

  /// In words: `green steady`, `red 3 flashes`.
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
