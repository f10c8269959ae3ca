// Builds the reply to `report`: status, settings and log, followed by the flight recorder's records. Control thread.

import Console
import Flight
import Platform

/// Assembles reports.
final class ReportWriter {
  private let configuration: ConfigurationStore
  private let status: StatusReporter
  private let flight: FlightRecorder
  private let machine: any Machine
  private let log: Log
  private let version: String

  init(
    _ configuration: ConfigurationStore, _ status: StatusReporter, _ flight: FlightRecorder,
    on machine: any Machine, log: Log, version: String
  ) {
    self.configuration = configuration
    self.status = status
    self.flight = flight
    self.machine = machine
    self.log = log
    self.version = version
  }

  /// Creates a report of the current state.
  ///
  /// - Parameter withPaths: Whether to include private data, such as names and paths.
  func report(withPaths: Bool) -> ReportPages {
    ReportPages(sections(withPaths), flights, showsNames: withPaths)
  }

  private var flights: [ReportPages.Flight] {
    var flights = [ReportPages.Flight(title: "flight", bytes: flight.bytes)]
    if let path = configuration.started.reportPath, let last = machine.flights?.last(path) {
      flights.append(ReportPages.Flight(title: "last flight", bytes: last))
    }
    return flights
  }

  /// Fields of `status` without private data.
  private static var publicFields: [String] {
    [
      "state", "position", "length", "fade", "volume", "queue", "queue-position", "repeat", "shuffle",
      "sleep-seconds", "sleep-after",
      "light", "safe-start", "loading", "buffered", "buffered-bytes", "last-error-seconds-ago", "active",
      "actions",
      "outgoing-position",
      "resumes", "can-quick-finish", "output-retry-seconds", "track-retry-seconds",
      "checkpoint-retry-seconds",
    ]
  }

  private func sections(_ withPaths: Bool) -> [String] {
    let settings = configuration.settings
    var lines = ["swiftlet report 1", "version: " + version]
    lines.append("names: " + (withPaths ? "shown" : "hidden"))
    lines.append("now: " + FlightText.seconds(Int64(clamping: machine.scheduler.now - flight.started)))
    lines.append("[status]")
    let secrets = settings.secrets.map { Array($0.utf8) }
    for field in status.status {
      let isShown =
        Self.publicFields.contains(field.name) || withPaths && !Self.holds(secrets, field.value.shown)
      lines.append(field.name + ": " + (isShown ? field.value.shown : "(hidden)"))
    }
    lines.append("[stats]")
    lines += status.stats.map { $0.name + ": " + $0.value.shown } + status.latencyRows.map { $0.text }
    lines.append("[settings]")
    for setting in settings.changed {
      lines.append(
        settings.anonymousLine(setting) { withPaths ? CommandLineText.quoted($0) : flight.name($0).text })
    }
    lines.append("[log]")
    for line in log.last(100) {
      let isShown = line.isPublic || withPaths && !Self.holds(secrets, line.text)
      lines.append(log.text(of: line, isHidden: !isShown))
    }
    return lines
  }

  /// Whether the text contains one of the secrets, which the user may have typed in the wrong place.
  private static func holds(_ secrets: [[UInt8]], _ text: String) -> Bool {
    let all = Array(text.utf8)
    return secrets.contains { secret in
      !secret.isEmpty && all.count >= secret.count
        && (0...(all.count - secret.count)).contains {
          all[$0..<($0 + secret.count)].elementsEqual(secret)
        }
    }
  }
}
