// Tasks of an index process, encoded as command line arguments. Any thread.

/// A task of an index process.
package enum LibraryTask: Hashable, Sendable {
  /// Answers a query about everything below some folders.
  case ask(file: String, roots: [String], LibraryVerb, [String])
  /// Updates the index for one root, or rebuilds it.
  case update(file: String, root: String, isAfresh: Bool)

  /// Program name and hidden subcommand of the process.
  private static let command = ["swiftlet", "library"]

  /// The arguments for execve.
  func words(parent: Int32) -> [String] {
    switch self {
    case .ask(let file, let roots, let verb, let words):
      Self.command + ["\(parent)", "ask", file, verb.rawValue, "\(roots.count)"] + roots + words
    case .update(let file, let root, let isAfresh):
      Self.command + ["\(parent)", isAfresh ? "make" : "update", file, root]
    }
  }

  /// Parses the arguments after the parent's id; nil if they are invalid.
  init?(_ words: ArraySlice<String>) {
    let words = Array(words)
    guard words.count >= 3 else { return nil }
    switch words[0] {
    case "ask":
      guard let verb = LibraryVerb(rawValue: words[2]), words.count >= 4, let count = Int(words[3]),
        count >= 0, words.count >= 4 + count
      else { return nil }
      self = .ask(file: words[1], roots: Array(words[4..<4 + count]), verb, Array(words[(4 + count)...]))
    case "make", "update":
      guard words.count == 3 else { return nil }
      self = .update(file: words[1], root: words[2], isAfresh: words[0] == "make")
    default: return nil
    }
  }
}
