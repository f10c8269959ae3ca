// The step of names that are kept for later: whether there is anything of that name. Pure.

extension Diagnostics {
  /// Bound of the broken names in one report.
  private static let maxReferences = 10

  static func references(_ facts: BoxFacts) -> [Outcome] {
    guard facts.references.count > 0 else { return [] }
    let broken = facts.references.broken
    guard !broken.isEmpty else {
      return [
        fine(
          "names",
          "The names in tags, alarms, bindings and settings exist, and the plugins for all stored music are installed (\(facts.references.count))."
        )
      ]
    }
    return broken.prefix(maxReferences).map {
      advice("names", "\($0.owner): \($0.problem).", $0.remedy)
    }
  }
}

extension BoxFacts {
  /// The stored names of music, and those of them with a problem.
  package struct References: Hashable, Sendable {
    /// How many names there are.
    package var count = 0
    /// Those that lead nowhere, or that no plugin plays.
    package var broken: [Reference] = []

    /// None.
    package init() {}
  }

  /// A name that leads nowhere, or that no plugin plays.
  package struct Reference: Hashable, Sendable {
    /// Who plays it, such as `alarm 7:00` or `tag 04aabbcc`.
    package var owner: String
    /// The problem, as a sentence without its full stop.
    package var problem: String
    /// What to do about it.
    package var remedy: String

    /// A name that leads nowhere, or that no plugin plays.
    package init(owner: String, problem: String, remedy: String) {
      self.owner = owner
      self.problem = problem
      self.remedy = remedy
    }
  }
}
