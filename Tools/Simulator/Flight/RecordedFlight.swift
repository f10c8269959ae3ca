// A report read back: the records of one run of a box, whatever else somebody has put into the file. Pure; any thread.

import Flight
import PlaybackModel

/// One line of a report's records.
package struct FlightEntry: Sendable {
  /// Nanoseconds since the box started.
  package var time: Int64
  /// What it tells, as `FlightKind.word`.
  package var kind: String
  /// Its values as they stand in the line.
  package var fields: [String: String]
  /// The text behind the colon.
  package var text: String

  /// Reads a line; nil for anything else.
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

  /// Seconds as text, such as `12.003250`, in nanoseconds.
  private static func nanoseconds(_ text: some StringProtocol) -> Int64? {
    guard let seconds = Double(String(text)), abs(seconds) < 1e8 else { return nil }
    return Int64((seconds * 1e9).rounded())
  }

  subscript(field: String) -> String? { fields[field] }

  /// A field in seconds; nil where it is not known, or longer than any flight.
  func seconds(_ field: String) -> Double? {
    guard let value = fields[field].flatMap({ Double($0) }), abs(value) < 1e6 else { return nil }
    return value
  }

  func isEvent(_ kinds: PlayerEvent.Kind...) -> Bool {
    kind == "event" && kinds.contains { $0.name == fields["event"] }
  }
}

/// The records of one run.
package struct RecordedFlight: Sendable {
  /// `flight`, or `last flight` for the run before, which crashed.
  package var title: String
  /// Its records, oldest first.
  package var entries: [FlightEntry]
  /// What the report says besides, such as how much is missing.
  package var notes: [String]

  /// A flight of lines.
  package init(title: String = "flight", _ lines: [String]) {
    self.title = title
    entries = lines.compactMap { FlightEntry($0) }
    notes = lines.filter { $0.hasPrefix("#") }.map { String($0.dropFirst().drop { $0 == " " }) }
  }

  /// What a recorder holds at this moment.
  package init(_ recorder: FlightRecorder) {
    var reader = FlightReader(recorder.bytes)
    let text = FlightText(started: recorder.started, showsNames: false)
    var lines: [String] = []
    while let record = reader.next() {
      if let line = text.line(record) { lines.append(line) }
    }
    self.init(lines)
  }

  /// Whether a text is a report of a box.
  package static func isReport(_ text: String) -> Bool {
    text.split(separator: "\n", maxSplits: 1).first.map { trimmed($0).hasPrefix("swiftlet report ") } ?? false
  }

  /// All flights of a report.
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

  /// The changes of state: event, state before and state after.
  var transitions: [(time: Int64, text: String)] {
    entries.compactMap { entry in
      guard entry.kind == "event", entry["verdict"] == "changed" else { return nil }
      return (entry.time, "\(entry["event"] ?? "?"): \(entry["from"] ?? "?") → \(entry["to"] ?? "?")")
    }
  }
}
