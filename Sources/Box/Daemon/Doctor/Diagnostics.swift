// What `swiftlet doctor` says: each step from an empty card to music by button is checked, in the order in which they
// are taken, and the first that is not done says how. Pure.

/// The steps, and what came of each.
package struct Diagnostics: Hashable, Sendable {
  /// What came of a step.
  package enum Verdict: Hashable, Sendable {
    case fine
    /// It plays all the same, but could do better.
    case advice
    /// It does not play, or will not for long.
    case problem
    /// It cannot be told.
    case unknown
  }

  /// A step.
  package struct Outcome: Hashable, Sendable {
    /// What was looked at, in a word or two.
    package let step: String
    /// What came of it.
    package let verdict: Verdict
    /// What was found.
    package let sentence: String
    /// What to do about it; empty where nothing is to be done.
    package let remedy: String
  }

  /// All of them, in order.
  package let outcomes: [Outcome]

  /// Whether nothing keeps the box from playing.
  package var isFine: Bool { !outcomes.contains { $0.verdict == .problem } }

  /// What to do next: about the first problem, or else the first advice. Nil: nothing.
  package var next: Outcome? {
    outcomes.first { $0.verdict == .problem } ?? outcomes.first { $0.verdict == .advice }
  }

  /// Checks the facts.
  package init(_ facts: BoxFacts) {
    outcomes =
      [
        Self.power(facts), Self.card(facts), Self.codecs(facts), Self.configuration(facts), Self.board(facts),
        Self.unit(facts), Self.groups(facts), Self.updates(facts), Self.daemon(facts), Self.output(facts),
        Self.controls(facts),
        Self.realtime(facts), Self.memory(facts), Self.clock(facts),
      ].compactMap { $0 } + Self.media(facts) + Self.references(facts)
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
