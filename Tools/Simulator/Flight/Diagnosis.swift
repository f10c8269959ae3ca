// Diagnosis of a flight recording: what went wrong and what led to it, found by rules over the records. Pure; any
// thread.

import AudioRing
import PlaybackModel

/// Finds incidents in a flight recording.
package struct Diagnosis {
  /// Event that a listener may have noticed.
  package struct Incident: Sendable {
    /// Nanoseconds since the box started.
    package var time: Int64
    /// What happened and why.
    package var sentence: String
  }

  /// Seconds after which an answer counts as slow.
  static let slowAnswer = 0.5
  /// Seconds after which a command counts as heard late.
  static let slowSound = 0.1
  /// Seconds after which a track counts as slow to open.
  static let slowOpening = 2.0

  private let flight: RecordedFlight
  private var entries: [FlightEntry] { flight.entries }
  /// Incidents in order of time.
  package private(set) var incidents: [Incident] = []

  /// Analyses a flight.
  package init(_ flight: RecordedFlight) {
    self.flight = flight
    for place in flight.entries.indices {
      if let sentence = sentence(place) {
        incidents.append(Incident(time: entries[place].time, sentence: sentence))
      }
    }
    if flight.title == "last flight", let last = entries.last {
      let before = entries.last { $0.kind == "command" || $0.kind == "event" }.map { Self.summary($0) }
      incidents.append(
        Incident(
          time: last.time,
          sentence: "the box ended here without having been told to"
            + (before.map { "; the last that it was given: \($0)" } ?? "")))
    }
  }

  /// The incidents as text, one line each.
  package var text: String {
    var text = ""
    for incident in incidents { text += "\(Self.clock(incident.time)) \(incident.sentence)\n" }
    return incidents.isEmpty ? "nothing went wrong that these records show\n" : text
  }

  private func sentence(_ place: Int) -> String? {
    let entry = entries[place]
    switch entry.kind {
    case "underrun": return underrun(entry)
    case "lost": return loss(place)
    case "mixer" where entry["what"] == "starved": return starvation(place)
    case "deck" where entry["what"] == "failed" || entry["what"] == "died" || entry["what"] == "refused":
      return failure(entry)
    case "deck" where entry["what"] == "ready": return slowOpening(place)
    case "answer": return slowAnswer(place)
    case "heard":
      guard let took = entry.seconds("took"), took >= Self.slowSound else { return nil }
      return "a command was heard only \(Self.time(took)) after it was given"
    case "job" where entry["what"] == "checkpoint":
      let took = entry.seconds("took") ?? 0
      if entry["ok"] == "0" { return "a checkpoint could not be written" }
      return took >= 2 ? "writing a checkpoint took \(Self.time(took))" : nil
    case "shallow": return "the card took nothing back: short buffer from here on"
    case "event" where entry["verdict"] == "rejected":
      guard let kind = PlayerEvent.Kind.allCases.first(where: { $0.name == entry["event"] }),
        kind.origin == .system
      else { return nil }
      return "the engine contradicted itself: '\(kind.name)' has no meaning while \(entry["from"] ?? "?")"
    default: return nil
    }
  }

  // MARK: Rules

  private func underrun(_ entry: FlightEntry) -> String {
    let late = entry.seconds("late") ?? 0
    let unasked = entry.seconds("unasked") ?? 0
    let queued = entry.seconds("queued") ?? 0
    guard unasked > queued || late > 0.05 else {
      return
        "underrun: the card stopped by itself with \(Self.time(queued)) still queued, asked \(Self.time(unasked)) "
        + "before"
    }
    return
      "underrun: the audio thread was \(Self.time(late)) late; it had not come for \(Self.time(unasked)), and the "
      + "card had \(Self.time(queued)) left"
  }

  private func loss(_ place: Int) -> String {
    let entry = entries[place]
    let unasked = entry.seconds("unasked") ?? 0
    let discovery = unasked > 0 ? "; at most \(Self.time(unasked)) between the loss and its discovery" : ""
    guard
      let back = next(
        after: place, where: { $0.kind == "restored" || $0.kind == "output" && $0["there"] == "1" })
    else {
      return "sound card lost, and not back by the end of the records" + discovery
    }
    let how = back.kind == "output" ? " (another one was taken)" : ""
    return "sound card lost for \(Self.time(seconds(from: entry.time, to: back.time)))\(how)\(discovery)"
  }

  private func starvation(_ place: Int) -> String {
    let entry = entries[place]
    let deck = entry["deck"] ?? "?"
    let refilled = next(after: place) { $0.kind == "mixer" && $0["what"] == "refilled" && $0["deck"] == deck }
    let silent = refilled.map { seconds(from: entry.time, to: $0.time) }
    var sentence = "starved: worker of deck \(deck) \(silent.map { Self.time($0) + " late" } ?? "never came")"
    let end = refilled?.time ?? (entry.time + 10_000_000_000)
    let wait = storageWait(deck, from: entry.time - 6_000_000_000, to: end + 6_000_000_000)
    let ring = ring(deck, before: place)
    if wait >= 0.2 {
      sentence += " reading storage, which took \(Self.time(wait)) for one answer"
    } else {
      sentence += " decoding: storage answered within \(Self.time(wait))"
    }
    if let ring { sentence += " (\(Self.time(ring.age)) before, its ring had \(Self.time(ring.ahead)) left)" }
    for job in jobs(from: entry.time - 2_000_000_000, to: end) {
      sentence += "; meanwhile '\(job["what"] ?? "?")' took \(Self.time(job.seconds("took") ?? 0))"
    }
    return sentence
  }

  private func failure(_ entry: FlightEntry) -> String {
    let track = entry["track"] ?? "a track"
    let why = Self.reasons[entry["error"] ?? ""] ?? entry["error"] ?? "unknown"
    let place = entry.seconds("position").map { $0 > 0 ? ", decoded up to \(Self.time($0))" : "" } ?? ""
    let deck = entry["deck"] ?? "?"
    if entry["what"] == "refused" { return "\(track) could not be opened on deck \(deck): \(why)" }
    return "\(track) failed on deck \(deck): \(why)\(place)"
  }

  private static let reasons = [
    "missing": "there is no such file", "unreadable": "the file cannot be read",
    "unsupported": "no codec knows it",
    "corrupt": "it is damaged", "protected": "it is protected", "network": "the network does not answer",
    "crashed": "its decoder crashed", "hung": "its decoder made no progress",
    "broke-sandbox": "its decoder did what it may not", "output": "the output is not available",
    "storage-removed": "its storage was taken out", "internal": "an error of the player's own",
  ]

  private func slowOpening(_ place: Int) -> String? {
    let entry = entries[place]
    guard let took = entry.seconds("took"), took >= Self.slowOpening else { return nil }
    let deck = entry["deck"] ?? "?"
    let wait = storageWait(deck, from: entry.time - Int64(took * 1e9), to: entry.time + 6_000_000_000)
    return "\(entry["track"] ?? "a track") was ready on deck \(deck) only after \(Self.time(took))"
      + (wait >= 0.2 ? "; storage took \(Self.time(wait)) for one answer" : "")
  }

  private func slowAnswer(_ place: Int) -> String? {
    let entry = entries[place]
    guard let took = entry.seconds("took"), took >= Self.slowAnswer else { return nil }
    let begun = entry.time - Int64(took * 1e9)
    let command = entries[..<place].last { $0.kind == "command" && $0.time <= begun + 1_000_000 }
    var sentence = "'\(command?.text ?? "a command")' was answered after \(Self.time(took))"
    for job in jobs(from: begun, to: entry.time) where job["what"] == "looking" {
      sentence += "; looking into storage took \(Self.time(job.seconds("took") ?? 0))"
    }
    return sentence
  }

  // MARK: Records near an incident

  private func next(after place: Int, where isWanted: (FlightEntry) -> Bool) -> FlightEntry? {
    entries[(place + 1)...].first(where: isWanted)
  }

  private func seconds(from start: Int64, to end: Int64) -> Double { Double(end - start) / 1e9 }

  /// The longest wait for storage that a deck's worker reported within a period, in seconds.
  private func storageWait(_ deck: String, from start: Int64, to end: Int64) -> Double {
    let field = deck == "A" ? "storage-a" : "storage-b"
    return entries.reduce(0) { longest, entry in
      guard entry.kind == "rings", entry.time >= start, entry.time <= end else { return longest }
      return max(longest, entry.seconds(field) ?? 0)
    }
  }

  /// The fill level of a deck's ring in the last record before an entry, and the age of that record, in seconds.
  private func ring(_ deck: String, before place: Int) -> (age: Double, ahead: Double)? {
    let field = deck == "A" ? "a" : "b"
    let time = entries[place].time
    let found = entries[..<place].last { $0.kind == "rings" && $0.time < time && $0[field] != nil }
    guard let found, let ahead = found.seconds(field) else { return nil }
    return (seconds(from: found.time, to: time), ahead)
  }

  /// Background jobs of 0.2 s or more that ended within a period.
  private func jobs(from start: Int64, to end: Int64) -> [FlightEntry] {
    entries.filter {
      $0.kind == "job" && $0.time >= start && $0.time <= end + 100_000_000 && ($0.seconds("took") ?? 0) >= 0.2
    }
  }

  // MARK: Text

  private static func summary(_ entry: FlightEntry) -> String {
    entry.kind == "command"
      ? "'\(entry.text)'" : "\(entry["event"] ?? "?") in \(entry["from"] ?? "?") → \(entry["to"] ?? "?")"
  }

  /// A duration as text: milliseconds below a second, seconds above.
  static func time(_ seconds: Double) -> String {
    if seconds < 1 { return "\(Int((seconds * 1000).rounded())) ms" }
    return "\((seconds * 100).rounded() / 100) s"
  }

  /// A time in nanoseconds as text, such as `1:02:03.250`.
  package static func clock(_ time: Int64) -> String {
    let milli = max(0, time) / 1_000_000
    func padded(_ value: Int64, _ width: Int) -> String {
      let text = "\(value)"
      return String(repeating: "0", count: max(0, width - text.count)) + text
    }
    let (hours, minutes) = (milli / 3_600_000, milli / 60_000 % 60)
    let rest = padded(milli / 1000 % 60, 2) + "." + padded(milli % 1000, 3)
    return hours > 0 ? "\(hours):\(padded(minutes, 2)):\(rest)" : "\(minutes):\(rest)"
  }
}
