// What the box has to say about itself: to where its machine takes it, and kept in a fixed ring for `log`.
// Control thread only.

import Console
import Platform

/// How much a line matters. The raw values are those of syslog (sd-daemon(3)).
package enum LogLevel: UInt8, Comparable, Sendable, CaseIterable {
  case error = 3
  case warning = 4
  case info = 6
  case debug = 7

  package static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }

  /// The name in settings and lines.
  package var name: String {
    switch self {
    case .error: "error"
    case .warning: "warning"
    case .info: "info"
    case .debug: "debug"
    }
  }

  /// The level of that name.
  package init?(name: String) {
    for level in LogLevel.allCases where level.name == name {
      self = level
      return
    }
    return nil
  }
}

/// One line of the log.
package struct LogLine: Sendable {
  /// Monotonic nanoseconds.
  package let time: UInt64
  /// How much it matters.
  package let level: LogLevel
  /// Whether it names nothing of anybody's: it may stand in a report.
  package let isPublic: Bool
  /// What happened; at most `Log.maxLineLength` bytes, no line breaks.
  package let text: String
}

/// The log.
package final class Log {
  /// Lines that are kept.
  package static let capacity = Command.maxLogLines
  /// Bytes of a line.
  package static let maxLineLength = 400

  /// The least level that is written and kept.
  package var level = LogLevel.info
  /// Told of each line, after it is kept: consoles that show the log.
  package var onLine: ((LogLine) -> Void)?
  private var repeated = RepeatedLines()
  private let repeatTimer: DeadlineTimer
  private var ring: [LogLine] = []
  private var next = 0
  private let machine: any Machine
  private let started: UInt64

  /// An empty log of a box on this machine.
  package init(_ machine: any Machine) {
    self.machine = machine
    started = machine.scheduler.now
    repeatTimer = DeadlineTimer(machine.scheduler)
    ring.reserveCapacity(Self.capacity)
  }

  /// Adds a line. What would tear it (control characters) becomes a space. `isPublic` where it names nothing of
  /// anybody's: no path, title or name that somebody gave. An error or a warning that comes again and again is written some times, and
  /// counted then.
  package func write(_ level: LogLevel, _ text: String, isPublic: Bool = false) {
    guard level <= self.level else { return }
    let clean = text.utf8.prefix(Self.maxLineLength).map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }
    let line = LogLine(
      time: machine.scheduler.now, level: level, isPublic: isPublic,
      text: String(decoding: clean, as: UTF8.self))
    guard level > .warning || repeated.isWorthWriting(line) else { return planCount() }
    put(line)
  }

  /// Writes how often lines came again, once each one's time is over.
  private func planCount() {
    guard !repeatTimer.isRunning, let due = repeated.due else { return }
    repeatTimer.start(at: due) { [unowned(unsafe) self] in
      for line in repeated.takeCounts(at: machine.scheduler.now) { put(line) }
      planCount()
    }
  }

  private func put(_ line: LogLine) {
    if ring.count < Self.capacity {
      ring.append(line)
    } else {
      ring[next] = line
      next = (next + 1) % Self.capacity
    }
    machine.writeLog(line.level, line.text)
    onLine?(line)
  }

  /// The last lines, oldest first.
  package func last(_ count: Int) -> [LogLine] {
    (ring[next...] + ring[..<next]).suffix(max(0, count))
  }

  /// A line as consoles show it: seconds since the start, level, text.
  package func text(of line: LogLine) -> String { text(of: line, isHidden: false) }

  /// The same, or without what it says.
  func text(of line: LogLine, isHidden: Bool) -> String {
    let seconds = Decimal.format(Double(line.time - min(started, line.time)) / 1e9, decimals: 3)
    return "[\(seconds)] \(line.level.name): "
      + (isHidden ? "(hidden; 'report with paths' shows it)" : line.text)
  }
}
