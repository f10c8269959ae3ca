// What an integration lets its box know on its standard output: that it is alive, how it stands, why it ends. A line each, the first byte says
// which. Writer: the integration's one thread. Reader: the box's control thread; an integration is not trusted.

import CLinux
import Platform

/// A line of an integration's report.
package enum IntegrationReport: Hashable, Sendable {
  /// It is alive.
  case beat
  /// How it stands.
  case standing(String)
  /// How it stands, which is not well.
  case trouble(String)
  /// Something for the log that changes nothing.
  case note(String)
  /// Why it ends.
  case exitReason(String)

  /// Nanoseconds between two lines.
  package static let interval: UInt64 = 10_000_000_000
  /// Nanoseconds without a line after which an integration is replaced.
  package static let maxSilence: UInt64 = 35_000_000_000
  /// Lines within `interval` after which an integration is replaced: it would fill the log, and keep its box awake.
  package static let maxLines = 100
  /// Bytes within `interval` after which it is replaced.
  package static let maxBytes = 16 * 1024
  /// Bytes of a line; what is longer is cut.
  package static let maxLineLength = 400

  /// The line's bytes, with its end.
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

/// Takes an integration's bytes as they come, and gives its lines.
package struct IntegrationReportReader: Sendable {
  private var line: [UInt8] = []

  /// Nothing was read so far.
  package init() {}

  /// Takes bytes, oldest first. Gives the lines that they end.
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

/// The integration's end: its standard output, where a box has started it.
package final class IntegrationVoice {
  private let beat: DeadlineTimer

  /// Says from now on that it is alive.
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

  /// Says something. A box that does not listen misses it.
  package static func say(_ report: IntegrationReport) {
    let line = report.line
    _ = line.withUnsafeBytes { CLinux.write(TextOutput.standardOutput.rawValue, $0.baseAddress, $0.count) }
  }
}
