// The reports that an integration writes to its standard output: heartbeat, status, log message, reason of exit. One
// line each; the first byte is the type. Written on the integration's single thread, read on the daemon's control
// thread, which does not trust the integration.

import CLinux
import Platform

/// A line of an integration's report.
package enum IntegrationReport: Hashable, Sendable {
  /// A heartbeat.
  case beat
  /// The status.
  case standing(String)
  /// The status, which describes a problem.
  case trouble(String)
  /// A message for the log.
  case note(String)
  /// The reason of exit.
  case exitReason(String)

  /// Interval of heartbeats in nanoseconds.
  package static let interval: UInt64 = 10_000_000_000
  /// Timeout in nanoseconds without a line, after which an integration is replaced.
  package static let maxSilence: UInt64 = 35_000_000_000
  /// Maximum lines within `interval`. An integration that sends more is replaced, since it would fill the log and
  /// keep the daemon busy.
  package static let maxLines = 100
  /// Maximum bytes within `interval`. An integration that sends more is replaced.
  package static let maxBytes = 16 * 1024
  /// Maximum bytes of a line; longer lines are truncated.
  package static let maxLineLength = 400

  /// The encoded line, including its newline.
  package var line: [UInt8] {
    switch self {
    case .beat: [0x2E, 0x0A]
    case .standing(let text): Self.line(0x3D, text)
    case .trouble(let text): Self.line(0x2D, text)
    case .note(let text): Self.line(0x23, text)
    case .exitReason(let text): Self.line(0x21, text)
    }
  }

  private static func line(_ mark: UInt8, _ text: String) -> [UInt8] {
    [mark] + Array(text.printable(limit: maxLineLength).utf8) + [0x0A]
  }

  fileprivate init(_ line: [UInt8]) {
    let text = String(decoding: line.dropFirst(), as: UTF8.self).printable(limit: Self.maxLineLength)
    switch line.first {
    case 0x3D: self = .standing(text)
    case 0x2D: self = .trouble(text)
    case 0x23: self = .note(text)
    case 0x21: self = .exitReason(text)
    default: self = .beat
    }
  }
}

/// Splits an integration's output into reports.
package struct IntegrationReportReader: Sendable {
  private var line: [UInt8] = []

  /// A reader at the beginning of the output.
  package init() {}

  /// Appends bytes. Returns the reports completed by them.
  package mutating func take(_ bytes: [UInt8]) -> [IntegrationReport] {
    var reports: [IntegrationReport] = []
    for byte in bytes {
      if byte == 0x0A {
        reports.append(IntegrationReport(line))
        line = []
      } else if line.count <= IntegrationReport.maxLineLength {
        line.append(byte)
      }
    }
    return reports
  }
}

/// The integration's side: writes heartbeats and reports to the standard output.
package final class IntegrationVoice {
  private let beat: DeadlineTimer

  /// Makes the standard output non-blocking and starts the heartbeat.
  package init(_ scheduler: any Scheduler) {
    beat = DeadlineTimer(scheduler)
    let flags = clinux_fcntl(TextOutput.standardOutput.rawValue, F_GETFL, 0)
    _ = clinux_fcntl(TextOutput.standardOutput.rawValue, F_SETFL, flags | O_NONBLOCK)
    turn()
  }

  private func turn() {
    Self.say(.beat)
    beat.start(after: IntegrationReport.interval) { [unowned(unsafe) self] in turn() }
  }

  /// Writes a report. It is lost if the pipe is full.
  package static func say(_ report: IntegrationReport) {
    let line = report.line
    _ = line.withUnsafeBytes { CLinux.write(TextOutput.standardOutput.rawValue, $0.baseAddress, $0.count) }
  }
}
