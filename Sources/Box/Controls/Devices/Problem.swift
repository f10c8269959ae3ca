// What is not there, and telling of it once. Pure values; control thread.

/// A control or a device that does not work now.
struct Problem: Hashable {
  /// What does not work, such as `button play`.
  let subject: String
  /// Why.
  let reason: String

  /// For a list and for the log.
  var text: String { subject + ": " + reason }
}

/// The problems there are, and sentences for what has changed.
struct ProblemList {
  private(set) var problems: [Problem] = []

  /// Takes the present problems; answers a sentence for each that is new and each that is over.
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
