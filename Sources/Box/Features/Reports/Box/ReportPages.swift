// Generates a report page by page, because the whole would take a megabyte of a small board's memory. Control thread.

import Flight

/// Iterator over the lines of a report.
final class ReportPages {
  /// Copy of a recorder's memory, taken when the report was requested.
  struct Flight {
    let title: String
    let bytes: [UInt8]
  }

  /// Lines per page; a page takes some milliseconds on a small board.
  private static let pageLines = 32
  /// Maximum number of record lines in a report.
  private static let maxLines = 20_000

  private var lines: [String]
  private var flights: ArraySlice<Flight>
  private let showsNames: Bool
  private var reader: FlightReader?
  private var text: FlightText?
  private var written = 0
  private var isOver = false

  /// Creates a report.
  ///
  /// - Parameters:
  ///   - lines: Lines before the records.
  ///   - flights: The recordings.
  ///   - showsNames: Whether to include names and paths.
  init(_ lines: [String], _ flights: [Flight], showsNames: Bool) {
    self.lines = lines
    self.flights = flights[...]
    self.showsNames = showsNames
  }

  /// The next page; nil at the end.
  func next() -> [String]? {
    guard !isOver else { return nil }
    if !lines.isEmpty {
      let page = Array(lines.prefix(Self.pageLines))
      lines.removeFirst(page.count)
      return page
    }
    var page: [String] = []
    while page.count < Self.pageLines {
      guard let record = reader?.next(), written < Self.maxLines else {
        guard let flight = flights.popFirst() else {
          isOver = true
          return page + ["[end]"]
        }
        page += begin(flight)
        continue
      }
      guard let line = text?.line(record) else { continue }
      written += 1
      page.append(line)
    }
    return page
  }

  private func begin(_ flight: Flight) -> [String] {
    let reader = FlightReader(flight.bytes)
    self.reader = reader
    var lines = ["[" + flight.title + "]"]
    guard let header = reader.header else { return lines + ["# not of this version, or damaged"] }
    text = FlightText(started: header.started, showsNames: showsNames)
    if reader.overwritten > 0 { lines.append("# \(reader.overwritten) older slots made room") }
    if reader.damaged > 0 { lines.append("# \(reader.damaged) slots are damaged") }
    return lines
  }
}
