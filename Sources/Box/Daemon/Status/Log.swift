// The daemon's log: writes lines to the journal and keeps the latest ones for `log`. Control thread only.

import Console
import PlaybackModel
import Platform

/// Severity of a log line. Raw values are those of syslog, see sd-daemon(3).
package enum LogLevel: UInt8, Comparable, Sendable, CaseIterable {
  case error = 3
  case warning = 4
  case info = 6
  case debug = 7

  package static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }

  /// Name in settings and log lines.
  package var name: String {
    switch self {
    case .error: "error"
    case .warning: "warning"
    case .info: "info"
    case .debug: "debug"
    }
  }

  /// Level with this name; nil if there is none.
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
  /// Scheduler time in nanoseconds.
  package let time: UInt64
  /// Severity.
  package let level: LogLevel
  /// Whether the line has no private data and may appear in reports.
  package let isPublic: Bool
  /// The message; at most `Log.maxLineLength` bytes, no line breaks.
  package let text: String
}

/// Log with a severity filter, rate limiting and a ring of recent lines.
package final class Log {
  /// Number of lines kept.
  package static let capacity = Command.maxLogLines
  /// Maximum length of a line in bytes.
  package static let maxLineLength = 400

  /// Least severe level that is written and kept.
  package var level = LogLevel.info
  /// Receives each line after it was stored, for consoles that show the log.
  package var onLine: ((LogLine) -> Void)?
  private var repeated = RepeatedLines()
  private let repeatTimer: DeadlineTimer
  private var ring: [LogLine] = []
  private var next = 0
  private let machine: any Machine
  private let started: UInt64

  /// Creates an empty log that writes to a host.
  package init(_ machine: any Machine) {
    self.machine = machine
    started = machine.scheduler.now
    repeatTimer = DeadlineTimer(machine.scheduler)
    ring.reserveCapacity(Self.capacity)
  }

  /// Writes a line. Repeated errors and warnings are written a few times and then counted.
  ///
  /// - Parameters:
  ///   - level: Severity.
  ///   - text: The message; passwords of addresses are masked, and control characters replaced by spaces.
  ///   - isPublic: Whether it has no private data, such as paths, titles or names given by the user.
  package func write(_ level: LogLevel, _ text: String, isPublic: Bool = false) {
    guard level <= self.level else { return }
    let clean = text.withoutUserInfo.utf8.prefix(Self.maxLineLength).map {
      $0 < 0x20 || $0 == 0x7F ? 0x20 : $0
    }
    let line = LogLine(
      time: machine.scheduler.now, level: level, isPublic: isPublic,
      text: String(decoding: clean, as: UTF8.self))
    guard level > .warning || repeated.isWorthWriting(line) else { return planCount() }
    put(line)
  }

  /// Schedules the lines that summarize how often a message was repeated.
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

  /// The latest lines, oldest first.
  package func last(_ count: Int) -> [LogLine] {
    (ring[next...] + ring[..<next]).suffix(max(0, count))
  }

  /// A line as shown on consoles: seconds since start, level, message.
  package func text(of line: LogLine) -> String { text(of: line, isHidden: false) }

  /// A line as shown on consoles, optionally without its message.
  func text(of line: LogLine, isHidden: Bool) -> String {
    let seconds = Decimal.format(Double(line.time - min(started, line.time)) / 1e9, decimals: 3)
    return "[\(seconds)] \(line.level.name): "
      + (isHidden ? "(hidden; 'report with paths' shows it)" : line.text)
  }
}
