// What a reader's process says on its standard output: that it is alive, which tag lies there, why it ends. A line each, whose first byte says
// which. Writer: that process. Reader: the box's control thread, which does not trust it. Pure values.

import Platform
import PlaybackModel

/// A line of a reader's process.
package enum ReaderReport: Hashable, Sendable {
  /// It is alive, and its reader answers.
  case beat
  /// That tag lies on the reader from now on.
  case present(TagID)
  /// No tag does.
  case absent
  /// Why it ends.
  case exitReason(String)

  /// Nanoseconds between two lines at the most.
  package static let interval: UInt64 = 20_000_000_000
  /// Nanoseconds without a line after which the process is replaced.
  package static let maxSilence: UInt64 = 45_000_000_000
  /// Bytes of a line.
  package static let maxLineLength = 400

  /// The line's bytes, with its end.
  package var line: [UInt8] {
    switch self {
    case .beat: [0x2E, 0x0A]
    case .present(let tag): [0x2B] + Array(tag.text.utf8) + [0x0A]
    case .absent: [0x2D, 0x0A]
    case .exitReason(let text): [0x21] + Array(text.printable(limit: Self.maxLineLength - 1).utf8) + [0x0A]
    }
  }

  /// Nil for what no reader says.
  fileprivate init?(_ line: [UInt8]) {
    let text = String(decoding: line.dropFirst(), as: UTF8.self)
    switch (line.first, line.count) {
    case (0x2E, 1): self = .beat
    case (0x2D, 1): self = .absent
    case (0x21, _): self = .exitReason(text.printable(limit: Self.maxLineLength))
    case (0x2B, _):
      let isUID = TagID.uidLengths.contains { line.count == 2 * $0 + 1 }
      guard isUID, let tag = TagID(text), tag.text == text, tag.isHexadecimal else { return nil }
      self = .present(tag)
    default: return nil
    }
  }
}

/// Takes the bytes of a reader's process as they come, and gives its lines.
package struct ReaderReportReader: Sendable {
  private var line: [UInt8] = []

  /// Nothing was read so far.
  package init() {}

  /// Takes bytes, oldest first. Gives the lines that they end; nil where one of them is none of a reader's.
  package mutating func take(_ bytes: [UInt8]) -> [ReaderReport]? {
    var reports: [ReaderReport] = []
    for byte in bytes {
      if byte == 0x0A {
        guard let report = ReaderReport(line) else { return nil }
        reports.append(report)
        line.removeAll(keepingCapacity: true)
      } else {
        guard line.count < ReaderReport.maxLineLength else { return nil }
        line.append(byte)
      }
    }
    return reports
  }
}
