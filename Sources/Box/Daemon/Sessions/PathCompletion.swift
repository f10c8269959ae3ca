// Completions of paths for the Tab key, which need a look-up on storage. A plain value; control thread.

/// The text whose completions a session needs, and the completions that were found last.
struct PathCompletion {
  /// Text whose completions were requested and must be looked up; nil: none.
  private var wantedText: String?
  private var found: (text: String, paths: [String])?

  /// Completions of a text; empty if they have not been looked up, which is then requested.
  mutating func paths(beginning text: String) -> [String] {
    if let found, found.text == text { return found.paths }
    wantedText = text
    return []
  }

  /// Removes and returns the text whose completions must be looked up.
  mutating func takeWantedText() -> String? {
    defer { wantedText = nil }
    return wantedText
  }

  /// Stores completions for the Tab that is fed again.
  mutating func keep(_ paths: [String], beginning text: String) { found = (text, paths) }

  /// Drops the completions, so that the next Tab looks them up again.
  mutating func forgetPaths() { found = nil }
}
