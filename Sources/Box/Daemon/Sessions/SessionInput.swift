// Input state of a session: unprocessed bytes, and the Tab completion being looked up. A plain value; control thread.

/// Input that waits to be processed.
struct SessionInput {
  /// Scheduler time of the last input.
  var heardAt: UInt64
  /// Bytes read but not processed yet.
  var held: [UInt8] = []
  /// Text whose completions were requested and must be looked up; nil: none.
  private var wantedText: String?
  private var found: (text: String, paths: [String])?

  /// No input yet.
  init(heardAt: UInt64) { self.heardAt = heardAt }

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
