// `swiftlet doctor` check of stored media names: whether tags, alarms and bindings still resolve. Pure functions.

extension Diagnostics {
  /// Maximum number of broken names in one report.
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
  /// Result of checking the stored media names.
  package struct References: Hashable, Sendable {
    /// Number of names checked.
    package var count = 0
    /// Names that do not resolve, or whose files no plugin can play.
    package var broken: [Reference] = []

    /// Creates an empty result.
    package init() {}
  }

  /// A stored name that does not resolve, or whose file no plugin can play.
  package struct Reference: Hashable, Sendable {
    /// Where the name is stored, such as `alarm 7:00` or `tag 04aabbcc`.
    package var owner: String
    /// The problem, as a sentence without its full stop.
    package var problem: String
    /// Suggested remedy.
    package var remedy: String

    /// Creates a broken reference.
    package init(owner: String, problem: String, remedy: String) {
      self.owner = owner
      self.problem = problem
      self.remedy = remedy
    }
  }
}
