// Parser of box reports ('swiftlet ctl report'): extracts the flight records and ignores other lines. Pure; any
// thread.

import Flight
import PlaybackModel

/// Line of a report's flight records.
package struct FlightEntry: Sendable {
  /// Nanoseconds since the box started.
  package var time: Int64
  /// Kind of record, as `FlightKind.word`.
  package var kind: String
  /// Values by field name, as text.
  package var fields: [String: String]
  /// Text after the colon.
  package var text: String

  /// Parses a line; nil if it is not a record.
  init?(_ line: some StringProtocol) {
    let parts = line.split(separator: " : ", maxSplits: 1)
    var words = (parts.first ?? "").split(separator: " ")
    guard words.count >= 2, let time = Self.nanoseconds(words.removeFirst()) else { return nil }
    let kind = String(words.removeFirst())
    guard FlightKind.allCases.contains(where: { $0.word == kind }) else { return nil }
    self.time = time
    self.kind = kind
    text = parts.count > 1 ? String(parts[1]) : ""
    fields = [:]
    for word in words {
      let pair = word.split(separator: "=", maxSplits: 1)
      if pair.count == 2 { fields[String(pair[0])] = String(pair[1]) }
    }
  }

  /// Converts seconds as text, such as `12.003250`, to nanoseconds.
  private static func nanoseconds(_ text: some StringProtocol) -> Int64? {
    guard let seconds = Double(String(text)), abs(seconds) < 1e8 else { return nil }
    return Int64((seconds * 1e9).rounded())
  }

  subscript(field: String) -> String? { fields[field] }

  /// A field in seconds; nil if it is absent or implausibly large.
  func seconds(_ field: String) -> Double? {
    guard let value = fields[field].flatMap({ Double($0) }), abs(value) < 1e6 else { return nil }
    return value
  }

  func isEvent(_ kinds: PlayerEvent.Kind...) -> Bool {
    kind == "event" && kinds.contains { $0.name == fields["event"] }
  }
}

/// Records of one run of a box.
package struct RecordedFlight: Sendable {
  /// `flight`, or `last flight` for the previous run, which crashed.
  package var title: String
  /// Records, oldest first.
  package var entries: [FlightEntry]
  /// Remarks in the report, such as how many records are missing.
  package var notes: [String]

  /// Parses the lines of a flight.
  package init(title: String = "flight", _ lines: [String]) {
    self.title = title
    entries = lines.compactMap { FlightEntry($0) }
    notes = lines.filter { $0.hasPrefix("#") }.map { String($0.dropFirst().drop { $0 == " " }) }
  }

  /// Copies the present contents of a recorder.
  package init(_ recorder: FlightRecorder) {
    var reader = FlightReader(recorder.bytes)
    let text = FlightText(started: recorder.started, showsNames: false)
    var lines: [String] = []
    while let record = reader.next() {
      if let line = text.line(record) { lines.append(line) }
    }
    self.init(lines)
  }

  /// Whether a text is a box report.
  package static func isReport(_ text: String) -> Bool {
    text.split(separator: "\n", maxSplits: 1).first.map { trimmed($0).hasPrefix("swiftlet report ") } ?? false
  }

  /// Extracts all flights from a report.
  package static func flights(in report: String) -> [RecordedFlight] {
    var flights: [RecordedFlight] = []
    var title: String?
    var lines: [String] = []
    func take() {
      if let title, title.hasSuffix("flight") { flights.append(RecordedFlight(title: title, lines)) }
      lines = []
    }
    for line in report.split(separator: "\n") {
      let line = trimmed(line)
      if line.hasPrefix("["), line.hasSuffix("]"), !line.contains(" : ") {
        take()
        title = String(line.dropFirst().dropLast())
      } else {
        lines.append(String(line))
      }
    }
    take()
    return flights
  }

  private static func trimmed(_ line: Substring) -> Substring {
    var line = line.drop { $0 == " " }
    while line.last == "\r" || line.last == " " { line.removeLast() }
    return line
  }

  /// The changes of state, each as event, old state and new state.
  var transitions: [(time: Int64, text: String)] {
    entries.compactMap { entry in
      guard entry.kind == "event", entry["verdict"] == "changed" else { return nil }
      return (entry.time, "\(entry["event"] ?? "?"): \(entry["from"] ?? "?") → \(entry["to"] ?? "?")")
    }
  }
}
