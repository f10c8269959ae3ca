// Parses the lines that a panel's microcontroller sends; the protocol is in docs/building/panel.md. Pure values; any
// thread.

import PlaybackModel

/// A parsed line of a panel.
package enum PanelReport: Hashable, Sendable {
  /// A button went down or came up.
  case button(ControlName, isDown: Bool)
  /// A knob was turned; positive is to the right.
  case turn(ControlName, detents: Int)
  /// A tag was placed on a reader or removed.
  case tag(TagInput)
  /// The microcontroller has started; no button is down.
  case ready
}

/// An incremental parser of panel lines.
package struct PanelReader: Sendable {
  /// The most bytes of a line.
  package static let maxLineLength = 64
  /// The most detents of one report.
  package static let maxDetents = 100

  private var line: [UInt8] = []
  private var isTooLong = false
  /// Whether no line has ended yet. The first line may be incomplete, if the panel was sending when the tty
  /// was opened.
  private var isFirst = true
  /// The number of lines that could not be parsed, not counting the first.
  package private(set) var badLines = 0

  /// Creates a parser at the start of a line.
  package init() {}

  /// Parses received bytes.
  ///
  /// - Returns: The reports that they complete.
  package mutating func take(_ bytes: [UInt8]) -> [PanelReport] {
    var reports: [PanelReport] = []
    for byte in bytes {
      guard byte == 0x0A || byte == 0x0D else {
        if line.count < Self.maxLineLength { line.append(byte) } else { isTooLong = true }
        continue
      }
      if !line.isEmpty {
        if !isTooLong, let report = Self.report(line) {
          reports.append(report)
        } else if !isFirst {
          badLines += 1
        }
        isFirst = false
      }
      line.removeAll(keepingCapacity: true)
      isTooLong = false
    }
    return reports
  }

  /// Resets the count of bad lines.
  package mutating func forgetBadLines() { badLines = 0 }

  /// Parses a line; nil if it is invalid.
  static func report(_ line: [UInt8]) -> PanelReport? {
    let words = line.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
    switch words.first {
    case "ready" where words.count == 1: return .ready
    case "down" where words.count == 2: return ControlName(words[1]).map { .button($0, isDown: true) }
    case "up" where words.count == 2: return ControlName(words[1]).map { .button($0, isDown: false) }
    case "tag" where words.count == 3:
      guard let name = ControlName(words[1]), let tag = TagID(words[2]) else { return nil }
      return .tag(.placed(tag, on: name))
    case "untag" where words.count == 2:
      return ControlName(words[1]).map { .tag(.lifted(from: $0)) }
    case "turn" where words.count == 3:
      guard let name = ControlName(words[1]), let detents = Int(words[2]), detents != 0,
        detents >= -maxDetents, detents <= maxDetents
      else { return nil }
      return .turn(name, detents: detents)
    default: return nil
    }
  }
}
