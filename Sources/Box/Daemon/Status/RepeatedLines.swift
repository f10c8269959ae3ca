// Rate limiting of repeated log lines: the first few are written, further ones are counted. A plain value; control
// thread.

/// Lines of the last minute with their number of occurrences.
struct RepeatedLines {
  /// Number of equal lines written per `window`.
  static let maxWritten = 3
  /// Length of the counting window in nanoseconds, from the first of the equal lines.
  static let window: UInt64 = 60_000_000_000
  /// Maximum number of distinct lines tracked; further distinct lines are written without counting.
  static let maxKnown = 16

  private struct Entry {
    let line: LogLine
    var count = 1
    /// Time of the last occurrence.
    var last: UInt64
    var end: UInt64 { line.time &+ RepeatedLines.window }
    var leftOut: Int { count - RepeatedLines.maxWritten }
  }

  private var entries: [Entry] = []

  /// Counts a line.
  ///
  /// - Returns: Whether it should be written.
  mutating func isWorthWriting(_ line: LogLine) -> Bool {
    entries.removeAll { $0.leftOut <= 0 && $0.end <= line.time }
    if let index = entries.firstIndex(where: { $0.line.level == line.level && $0.line.text == line.text }) {
      entries[index].count += 1
      entries[index].last = line.time
      return entries[index].leftOut <= 0
    }
    if entries.count == Self.maxKnown, let index = entries.firstIndex(where: { $0.leftOut <= 0 }) {
      entries.remove(at: index)
    }
    if entries.count < Self.maxKnown { entries.append(Entry(line: line, last: line.time)) }
    return true
  }

  /// Time of the next summary line; nil if no line was suppressed.
  var due: UInt64? { entries.lazy.filter { $0.leftOut > 0 }.map { $0.end }.min() }

  /// Removes entries whose window has ended, and returns their summary lines.
  mutating func takeCounts(at now: UInt64) -> [LogLine] {
    let over = entries.filter { $0.leftOut > 0 && $0.end <= now }
    entries.removeAll { $0.end <= now }
    return over.map { entry in
      // Other lines may have been written since the last occurrence.
      let age = (now - min(entry.last, now)) / 1_000_000_000
      let text = "(\(entry.leftOut) times more within a minute, last \(age) s ago) " + entry.line.text
      return LogLine(
        time: now, level: entry.line.level, isPublic: entry.line.isPublic,
        text: String(decoding: text.utf8.prefix(Log.maxLineLength), as: UTF8.self))
    }
  }
}
