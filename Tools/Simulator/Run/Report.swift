// A violation in words, with all that is needed to see it again. Pure; any thread.

/// What people read about a violation.
package struct Report {
  /// The world that went wrong.
  package var world: World
  /// What came of it.
  package var outcome: Outcome
  /// Where it came from, such as a seed.
  package var origin: String

  /// A report; without a violation it says that all is well.
  package init(_ world: World, _ outcome: Outcome, origin: String) {
    self.world = world
    self.outcome = outcome
    self.origin = origin
  }

  /// The report.
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
  /// A time in seconds, to the microsecond.
  static func seconds(_ time: UInt64) -> String {
    let micro = time / 1000
    let fraction = "\(1_000_000 + micro % 1_000_000)".dropFirst()
    return "\(micro / 1_000_000).\(fraction)"
  }
}
