// How answers are written. Pure value; any thread.

/// How a session's answers are written.
package enum ReplyFormat: UInt8, Hashable, Sendable, CaseIterable {
  /// For people: indented lines, then one that begins with `ok` or `error:`.
  case text
  /// For programs: one object a line.
  case json
  /// For programs that need no parser for it: a field a line, and whole.
  case lines
}
