// The protocol of an NFC reader's process on its standard output: heartbeats, tags, and the reason for
// ending, one per line. Written by that process; read by the box's control thread, which does not trust it.
// Pure values.

import Platform
import PlaybackModel

/// A line from a reader's process. Its first byte is the kind.
package enum ReaderReport: Hashable, Sendable {
  /// Heartbeat: the process is alive and its reader responds.
  case beat
  /// A tag is on the reader.
  case present(TagID)
  /// No tag is on the reader.
  case absent
  /// The reason why the process ends.
  case exitReason(String)

  /// The longest time between two lines, in nanoseconds.
  package static let interval: UInt64 = 20_000_000_000
  /// The time without a line after which the process is replaced, in nanoseconds.
  package static let maxSilence: UInt64 = 45_000_000_000
  /// The most bytes of a line.
  package static let maxLineLength = 400

  /// The line's bytes, including LF.
  package var line: [UInt8] {
    switch self {
    case .beat: [0x2E, 0x0A]
    case .present(let tag): [0x2B] + Array(tag.text.utf8) + [0x0A]
    case .absent: [0x2D, 0x0A]
    case .exitReason(let text): [0x21] + Array(text.printable(limit: Self.maxLineLength - 1).utf8) + [0x0A]
    }
  }

  /// Parses a line without LF; nil if it is invalid.
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

/// An incremental parser of a reader process's output.
package struct ReaderReportReader: Sendable {
  private var line: [UInt8] = []

  /// Creates a parser at the start of a line.
  package init() {}

  /// Parses received bytes.
  ///
  /// - Returns: The completed reports; nil if a line is invalid.
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
