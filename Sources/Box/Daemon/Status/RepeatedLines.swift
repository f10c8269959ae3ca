// Lines of the log that come again and again: some are written, the others are counted. A pure value; control thread.

/// The lines of the last minute, and how often each came.
struct RepeatedLines {
  /// So many equal lines are written within `window`.
  static let maxWritten = 3
  /// Nanoseconds from the first of equal lines on in which they are counted together.
  static let window: UInt64 = 60_000_000_000
  /// So many lines that differ are known. A flood of more of them is written.
  static let maxKnown = 16

  private struct Entry {
    let line: LogLine
    var count = 1
    var end: UInt64 { line.time &+ RepeatedLines.window }
    var leftOut: Int { count - RepeatedLines.maxWritten }
  }

  private var entries: [Entry] = []

  /// Counts a line. Answers whether it is to be written.
  mutating func isWorthWriting(_ line: LogLine) -> Bool {
    entries.removeAll { $0.leftOut <= 0 && $0.end <= line.time }
    if let index = entries.firstIndex(where: { $0.line.level == line.level && $0.line.text == line.text }) {
      entries[index].count += 1
      return entries[index].leftOut <= 0
    }
    if entries.count == Self.maxKnown, let index = entries.firstIndex(where: { $0.leftOut <= 0 }) {
      entries.remove(at: index)
    }
    if entries.count < Self.maxKnown { entries.append(Entry(line: line)) }
    return true
  }

  /// When the first count is to be written; nil where nothing was left out.
  var due: UInt64? { entries.lazy.filter { $0.leftOut > 0 }.map { $0.end }.min() }

  /// Lines that say how often others came, once their time is over.
  mutating func takeCounts(at now: UInt64) -> [LogLine] {
    let over = entries.filter { $0.leftOut > 0 && $0.end <= now }
    entries.removeAll { $0.end <= now }
    return over.map { entry in
      let text = "(\(entry.leftOut) times more within a minute) " + entry.line.text
      return LogLine(
        time: now, level: entry.line.level, isPublic: entry.line.isPublic,
        text: String(decoding: text.utf8.prefix(Log.maxLineLength), as: UTF8.self))
    }
  }
}
