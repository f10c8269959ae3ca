// What came into a session: when, and what of it waits: bytes behind a command, and a Tab whose paths are looked up. A value;
// control thread.

/// Input, and what of it is taken later.
struct SessionInput {
  /// When something was last heard from the other end.
  var heardAt: UInt64
  /// What was read beyond the command that is being carried out.
  var held: [UInt8] = []
  /// The text whose paths a Tab has asked for, and nobody has looked up yet.
  private var wantedText: String?
  private var found: (text: String, paths: [String])?

  /// Nothing was typed so far.
  init(heardAt: UInt64) { self.heardAt = heardAt }

  /// The paths that a text may become; none, and the text is wanted, where they were not looked up last.
  mutating func paths(beginning text: String) -> [String] {
    if let found, found.text == text { return found.paths }
    wantedText = text
    return []
  }

  /// The text that is wanted, which is not any more.
  mutating func takeWantedText() -> String? {
    defer { wantedText = nil }
    return wantedText
  }

  /// Keeps what was found for the Tab that is taken next.
  mutating func keep(_ paths: [String], beginning text: String) { found = (text, paths) }

  /// Forgets what was found: the next Tab looks again.
  mutating func forgetPaths() { found = nil }
}
