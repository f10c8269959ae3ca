// `swiftlet doctor`: judges `BoxFacts` in setup order, from power supply to playback, and suggests a remedy per
// problem. Pure functions.

/// Results of all checks.
package struct Diagnostics: Hashable, Sendable {
  /// Verdict of one check.
  package enum Verdict: Hashable, Sendable {
    case fine
    /// Works, but could be improved.
    case advice
    /// Prevents playback, or will soon.
    case problem
    /// Could not be checked.
    case unknown
  }

  /// Result of one check.
  package struct Outcome: Hashable, Sendable {
    /// The name of the check, in one or two words.
    package let step: String
    /// The verdict.
    package let verdict: Verdict
    /// What was found.
    package let sentence: String
    /// Suggested remedy; empty if none is needed.
    package let remedy: String
  }

  /// Results of all checks, in setup order.
  package let outcomes: [Outcome]

  /// Whether no check found a problem.
  package var isFine: Bool { !outcomes.contains { $0.verdict == .problem } }

  /// The result to act on next: the first problem, or else the first advice; nil: none.
  package var next: Outcome? {
    outcomes.first { $0.verdict == .problem } ?? outcomes.first { $0.verdict == .advice }
  }

  /// Runs all checks.
  package init(_ facts: BoxFacts) {
    outcomes =
      [
        Self.power(facts), Self.card(facts), Self.codecs(facts), Self.configuration(facts), Self.board(facts),
        Self.unit(facts), Self.groups(facts), Self.updates(facts), Self.daemon(facts), Self.output(facts),
        Self.controls(facts),
        Self.realtime(facts), Self.memory(facts), Self.clock(facts),
      ].compactMap { $0 } + Self.bindings(facts) + Self.media(facts) + Self.references(facts)
      + [Self.checkpoint(facts), Self.lastError(facts)].compactMap { $0 }
  }

  static func fine(_ step: String, _ sentence: String) -> Outcome {
    Outcome(step: step, verdict: .fine, sentence: sentence, remedy: "")
  }

  static func problem(_ step: String, _ sentence: String, _ remedy: String) -> Outcome {
    Outcome(step: step, verdict: .problem, sentence: sentence, remedy: remedy)
  }

  static func advice(_ step: String, _ sentence: String, _ remedy: String) -> Outcome {
    Outcome(step: step, verdict: .advice, sentence: sentence, remedy: remedy)
  }
}
