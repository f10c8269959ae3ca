// What a microcontroller writes on its serial line, docs/panel.md. Pure values; any thread.

import PlaybackModel

/// A line of a panel, understood.
package enum PanelReport: Hashable, Sendable {
  /// A button went down or came up.
  case button(ControlName, isDown: Bool)
  /// A knob was turned; to the right is positive.
  case turn(ControlName, detents: Int)
  /// A tag has come to a reader, or has gone.
  case tag(TagInput)
  /// The microcontroller has started: no button is down.
  case ready
}

/// Makes reports from bytes as they come, in whatever pieces.
package struct PanelReader: Sendable {
  /// The most bytes of a line.
  package static let maxLineLength = 64
  /// The most detents of one report.
  package static let maxDetents = 100

  private var line: [UInt8] = []
  private var isTooLong = false
  /// Whoever opens a line while the other side is writing gets the rest of what it writes.
  private var isFirst = true
  /// How many lines could not be understood; the first one may have been cut.
  package private(set) var badLines = 0

  /// At the start of a line.
  package init() {}

  /// Takes bytes; what they complete.
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

  /// Counts bad lines from nothing again.
  package mutating func forgetBadLines() { badLines = 0 }

  /// The report that a line is, if it is one.
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
