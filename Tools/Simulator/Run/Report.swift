// Text report of a simulation run, with the recent events before a violation. Pure; any thread.

/// Report of a run for the developer.
package struct Report {
  /// World that was run.
  package var world: World
  /// Result of the run.
  package var outcome: Outcome
  /// Origin of the world, such as a seed.
  package var origin: String

  /// Creates a report; without a violation, the text is a single line.
  package init(_ world: World, _ outcome: Outcome, origin: String) {
    self.world = world
    self.outcome = outcome
    self.origin = origin
  }

  /// The report's text.
  package var text: String {
    guard let violation = outcome.violation else {
      return
        "\(origin): no violation in \(Simulation.seconds(outcome.duration)) s, digest \(hexadecimal(outcome.digest))"
    }
    var text = "\(origin): \(violation.rule.rawValue) at \(Simulation.seconds(outcome.duration)) s\n"
    text += "  expected: \(violation.expected)\n  found:    \(violation.found)\n"
    text += "what happened:\n"
    for line in outcome.journal.suffix(30) { text += "  \(line)\n" }
    text += "what was heard:\n"
    for edge in outcome.edges { text += "  \(edge)\n" }
    text += "what the state machine did:\n"
    for line in outcome.history.suffix(30) { text += "  \(line)\n" }
    return text
  }

  private func hexadecimal(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension Simulation {
  /// A time in seconds as text, to the microsecond.
  static func seconds(_ time: UInt64) -> String {
    let micro = time / 1000
    let fraction = "\(1_000_000 + micro % 1_000_000)".dropFirst()
    return "\(micro / 1_000_000).\(fraction)"
  }
}
