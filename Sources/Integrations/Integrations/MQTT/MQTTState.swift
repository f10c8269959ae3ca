// Converts the daemon's answers to the JSON documents that the MQTT integration publishes. Pure; any thread.

import Console
import Platform

/// The contents of the topics below the box's prefix.
package enum MQTTState {
  /// Maximum bytes of a text; Home Assistant accepts states of up to 255 characters.
  static let maxTextLength = 250

  /// `PREFIX/state`, from `status`. All keys are always present; `null` means not applicable.
  package static func state(_ status: BoxFields) -> [UInt8] {
    var writer = JSONWriter()
    for (name, key) in [
      ("state", "state"), ("text", "text"), ("title", "title"), ("artist", "artist"), ("album", "album"),
      ("station", "station"),
    ] { writer.add(name, text(status[key])) }
    writer.add("length", seconds(status["length"]))
    writer.add("volume", number(status.integer("volume")))
    writer.add("repeat", text(status["repeat"]))
    writer.add("shuffle", .text(status.isOn("shuffle") ? "on" : "off"))
    writer.add("sleep", .integer(status.integer("sleep-seconds").map { ($0 + 59) / 60 } ?? 0))
    writer.add("sleep_after", .text(status["sleep-after"] ?? "off"))
    writer.add("queue", number(status.integer("queue")))
    writer.add("queue_position", number(status.integer("queue-position")))
    writer.add("alarm", text(status["alarm"] ?? "quiet"))
    writer.add("next_alarm", text(status["next-alarm"]))
    writer.add("tag", text(status["tag"]))
    writer.add("limit", text(status["limit"] ?? "none"))
    writer.add("minutes_left", number(status.integer("minutes-left")))
    writer.add("output", text(status["output"].map(lasting)))
    writer.add("error", text(status["last-error"].map(lasting)))
    return writer.finished
  }

  /// `PREFIX/position`, from `status`.
  package static func position(_ status: BoxFields) -> [UInt8] {
    var writer = JSONWriter()
    writer.add("position", seconds(status["position"]))
    writer.add("length", seconds(status["length"]))
    return writer.finished
  }

  /// The daemon's start time in seconds since 1970, computed from the uptime in `stats`.
  ///
  /// - Parameters:
  ///   - stats: The fields of `stats`.
  ///   - now: The present wall-clock time in seconds since 1970.
  ///   - former: The previous result, which is kept if the new one differs by rounding only (up to 5 s).
  package static func started(_ stats: BoxFields, now: Int64, former: Int64?) -> Int64 {
    let uptime = stats["uptime"].flatMap { Decimal.parse($0[...]) } ?? 0
    let started = now - Int64(min(max(uptime, 0), 1e9))
    guard let former, abs(former - started) <= 5 else { return started }
    return former
  }

  /// `PREFIX/diagnostics`, from `stats`.
  package static func diagnostics(_ stats: BoxFields, version: String, started: Int64) -> [UInt8] {
    var writer = JSONWriter()
    for (name, key) in [
      ("xruns", "xruns"), ("rewinds", "rewinds"), ("output_losses", "output-losses"),
      ("failed_tracks", "failed-tracks"), ("worker_crashes", "worker-crashes"), ("power_ons", "power-ons"),
    ] { writer.add(name, number(stats.integer(key))) }
    writer.add("started", .text(UTCTime.text(started)))
    writer.add("version", .text(version))
    return writer.finished
  }

  /// `PREFIX/alarm`: the alarm's event and what it plays.
  package static func alarm(_ type: String, path: String?) -> [UInt8] {
    var writer = JSONWriter()
    writer.add("event_type", .text(type))
    writer.add("path", text(path))
    return writer.finished
  }

  /// `PREFIX/tag`, from a tag event; nil unless a tag was placed on or removed from a reader.
  package static func tag(_ event: BoxFields) -> [UInt8]? {
    guard let change = event["change"], ["placed", "unknown", "lifted"].contains(change) else { return nil }
    var writer = JSONWriter()
    for name in ["change", "tag", "reader", "command"] { writer.add(name, text(event[name])) }
    return writer.finished
  }

  /// The event for a change of the daemon's alarm text; nil if the alarm's stage is unchanged.
  package static func alarmEvent(from old: String, to new: String) -> String? {
    let (before, after) = (stage(old), stage(new))
    return before == after ? nil : after
  }

  private static func stage(_ text: String) -> String {
    if text.utf8.starts(with: "rings".utf8) { return "rings" }
    return text.utf8.starts(with: "snoozed".utf8) ? "snoozed" : "over"
  }

  /// Removes the countdown, which would change the document every second.
  private static func lasting(_ text: String) -> String {
    let (all, mark) = (Array(text.utf8), Array("; trying again in ".utf8))
    guard all.count >= mark.count else { return text }
    for start in 0...(all.count - mark.count) where all[start..<(start + mark.count)].elementsEqual(mark) {
      return String(decoding: all[..<start], as: UTF8.self)
    }
    return text
  }

  private static func text(_ text: String?) -> FieldValue {
    text.map { .text($0.printable(limit: maxTextLength)) } ?? .none
  }

  private static func number(_ number: Int?) -> FieldValue { number.map { .integer($0) } ?? .none }

  private static func seconds(_ text: String?) -> FieldValue {
    guard let seconds = text.flatMap({ Decimal.parse($0[...]) }), seconds >= 0, seconds < 1e9 else {
      return .none
    }
    return .integer(Int(seconds))
  }
}
