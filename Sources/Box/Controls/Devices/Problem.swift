// Lists problems with devices and controls, and reports each change once. Pure values; control thread.

/// A control or device that does not work.
struct Problem: Hashable {
  /// The subject, such as `button play`.
  let subject: String
  /// The cause.
  let reason: String

  /// The text for lists and the log.
  var text: String { subject + ": " + reason }
}

/// The current problems. Compares updates and describes the changes.
struct ProblemList {
  private(set) var problems: [Problem] = []

  /// Replaces the problems.
  ///
  /// - Returns: A sentence for each new problem and each problem that has ended.
  mutating func update(_ now: [Problem]) -> [String] {
    let before = problems
    problems = now
    var notes: [String] = []
    for problem in now where !before.contains(problem) { notes.append(problem.text + ".") }
    for problem in before where !now.contains(where: { $0.subject == problem.subject }) {
      notes.append(problem.subject + " is back.")
    }
    return notes
  }
}
