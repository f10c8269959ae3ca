// The output formats of a session. Pure value; any thread.

/// The output format of a session's answers and notices.
package enum ReplyFormat: UInt8, Hashable, Sendable, CaseIterable {
  /// For users: indented lines, then a last line that begins with `ok` or `error:`.
  case text
  /// For programs: one JSON object per line.
  case json
  /// For scripts: one field per line, with untruncated values.
  case lines
}
