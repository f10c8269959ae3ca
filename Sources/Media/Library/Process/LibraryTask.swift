// What a process with the index is started for, as the words of its command line. Any thread.

/// A task of a process with the index.
package enum LibraryTask: Hashable, Sendable {
  /// Answers a question about what lies beneath some folders.
  case ask(file: String, roots: [String], LibraryVerb, [String])
  /// Brings the index up to date with what lies beneath a folder, or makes it afresh.
  case update(file: String, root: String, isAfresh: Bool)

  /// What the process is called, whichever program it is: the program's name and the hidden subcommand.
  private static let command = ["swiftlet", "library"]

  /// For execve.
  func words(parent: Int32) -> [String] {
    switch self {
    case .ask(let file, let roots, let verb, let words):
      Self.command + ["\(parent)", "ask", file, verb.rawValue, "\(roots.count)"] + roots + words
    case .update(let file, let root, let isAfresh):
      Self.command + ["\(parent)", isAfresh ? "make" : "update", file, root]
    }
  }

  /// Reads what follows the parent; nil if it is not what `words` writes.
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
