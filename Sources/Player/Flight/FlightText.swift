// Formats a flight record as a line for reports and `swiftlet-sim replay`: seconds since the start, a word,
// NAME=VALUE pairs, and a text after a colon. Pure; any thread.

import PlaybackModel
import Platform

/// Formats records as lines.
package struct FlightText: Sendable {
  private let started: UInt64
  private let showsNames: Bool

  /// Creates a formatter.
  ///
  /// - Parameters:
  ///   - started: Start time of the recording in nanoseconds.
  ///   - showsNames: Whether to include the paths behind short names.
  package init(started: UInt64, showsNames: Bool) {
    self.started = started
    self.showsNames = showsNames
  }

  /// The record's line; nil if the record must not be shown.
  package func line(_ record: FlightRecord) -> String? {
    if record.kind == .name, !showsNames { return nil }
    var line = Self.seconds(Int64(clamping: record.time) - Int64(clamping: started)) + " " + record.kind.word
    for field in record.kind.fields {
      guard let value = record.value(field) else { continue }
      line += " " + field.name + "=" + Self.text(value, field.form)
    }
    return record.text.utf8.isEmpty ? line : line + " : " + record.text
  }

  /// Formats nanoseconds as seconds with six decimals.
  package static func seconds(_ nanoseconds: Int64) -> String {
    let micro = nanoseconds / 1000 + (nanoseconds % 1000 >= 500 ? 1 : nanoseconds % 1000 < -500 ? -1 : 0)
    let size = micro.magnitude
    let fraction = String(size % 1_000_000)
    return (micro < 0 ? "-" : "") + String(size / 1_000_000) + "."
      + String(repeating: "0", count: 6 - fraction.utf8.count) + fraction
  }

  private static func text(_ value: Int64, _ form: FlightField.Form) -> String {
    let code = UInt8(clamping: value)
    let word: String? =
      switch form {
      case .number, .flag: String(value)
      case .time: seconds(value)
      case .name: FlightName(code: value).text
      case .curve: FadeCurve(rawValue: code)?.name
      case .source: CommandSource(rawValue: code)?.word
      case .event: PlayerEvent.Kind(rawValue: code)?.name
      case .state: PlayerState.Kind(rawValue: code)?.name
      case .verdict: ["changed", "unchanged", "rejected"].dropFirst(Int(code)).first
      case .error: PlaybackError.Kind(rawValue: code)?.word
      case .news: MixerNews(rawValue: code)?.word
      case .decoding: DecodingNews(rawValue: code)?.word
      case .job: BackgroundJob(rawValue: code)?.word
      case .deck: Deck(rawValue: code).map { $0 == .a ? "A" : "B" }
      }
    return word ?? "?"
  }
}
