// Replays a flight recording in the simulator and compares the result with the recording. One thread.

import Flight
import PlaybackModel

/// Recorded flight, the world derived from it, and the result of running that world.
package struct FlightReplay {
  /// World to run; can be kept as a regression test.
  package let world: World
  /// Recording of the replay.
  package let flight: RecordedFlight
  /// Result of the simulation.
  package let outcome: Outcome
  /// Differences between the world and the recorded run that are known in advance.
  package let notes: [String]
  /// Number of state changes in the original, and how many of the first ones the replay has in common with it.
  package let transitions: Int
  package let same: Int
  /// First difference, as text; nil if there is none.
  package let difference: String?

  /// Maximum number of repetitions to match the durations of ring underruns.
  private static let trials = 3

  /// Replays a flight.
  /// - Parameters:
  ///   - original: Recording to replay.
  ///   - ignored: Rules of the oracle that are not checked.
  package init(_ original: RecordedFlight, ignoring ignored: Set<Violation.Rule> = []) {
    var made = FlightWorld(original)
    var (flight, outcome) = Self.run(made.world, ignored)
    for _ in 0..<Self.trials where !made.starvations.isEmpty {
      guard Self.correct(&made, by: flight) else { break }
      (flight, outcome) = Self.run(made.world, ignored)
    }
    world = made.world
    notes = made.notes
    self.flight = flight
    self.outcome = outcome
    let wanted = Self.withoutArming(original.transitions)
    let found = Self.withoutArming(flight.transitions)
    var same = 0
    while same < min(wanted.count, found.count), wanted[same].text == found[same].text { same += 1 }
    transitions = wanted.count
    self.same = same
    guard same < wanted.count else {
      difference = nil
      return
    }
    let there = same < found.count ? "'\(found[same].text)'" : "nothing more"
    difference = "at \(Diagnosis.clock(wanted[same].time)) it was '\(wanted[same].text)', and now \(there)"
  }

  /// The result as text.
  package var text: String {
    var text = ""
    for note in notes { text += "note: \(note)\n" }
    text += "replayed: \(same) of \(transitions) changes of state are the same\n"
    if let difference { text += "  \(difference)\n" }
    if let violation = outcome.violation {
      text +=
        "the replay is wrong (\(violation.rule.rawValue)): expected \(violation.expected), found \(violation.found)\n"
    } else {
      text += "the replay is as it should be\n"
    }
    return text
  }

  /// The world as a script with a comment about its origin.
  package var script: String { "# made of a flight by 'swiftlet-sim replay'\n" + world.text }

  /// Removes the inaudible play and pause with which a bare player cues a track; a box cues tracks by itself.
  private static func withoutArming(_ all: [(time: Int64, text: String)]) -> [(time: Int64, text: String)] {
    var kept: [(time: Int64, text: String)] = []
    for transition in all {
      if transition.text == "play: idle → idle" { continue }
      if transition.text == "pause: preparing → preparing", let last = kept.last,
        last.text == "load: idle → preparing",
        transition.time - last.time < 100_000
      {
        continue
      }
      kept.append(transition)
    }
    return kept
  }

  private static func run(_ world: World, _ ignored: Set<Violation.Rule>) -> (RecordedFlight, Outcome) {
    let simulation = Simulation(world, ignoring: ignored)
    let recorder = simulation.record()
    let outcome = simulation.run()
    return (RecordedFlight(recorder), outcome)
  }

  /// Adjusts the delays of workers to match the recorded underruns.
  /// - Returns: Whether a delay was changed.
  private static func correct(_ made: inout FlightWorld, by flight: RecordedFlight) -> Bool {
    let starved = flight.entries.indices.filter {
      flight.entries[$0].kind == "mixer" && flight.entries[$0]["what"] == "starved"
    }
    var isChanged = false
    for (wanted, place) in zip(made.starvations, starved) {
      let entry = flight.entries[place]
      let refilled = flight.entries[place...].first {
        $0.kind == "mixer" && $0["what"] == "refilled" && $0["deck"] == entry["deck"]
      }
      guard let refilled else { continue }
      let error = (wanted.refilled - wanted.time - (refilled.time - entry.time)) / 1_000_000
      guard abs(error) > 20 else { continue }
      made.delay(wanted, by: Int(error))
      isChanged = true
    }
    if starved.count < made.starvations.count {
      // The worker stopped too late or too briefly, so its ring never ran dry.
      for starvation in made.starvations[starved.count...] { made.delay(starvation, by: 2000) }
      isChanged = true
    }
    return isChanged
  }
}

extension Simulation {
  /// Starts recording from now on. Supported for bare players only.
  package func record() -> FlightRecorder {
    let recorder = FlightRecorder(
      HeapFlightMemory(size: FlightRecorder.maxSize), scheduler, salt: 1)
    (maker as? BarePlayers)?.flight = recorder
    return recorder
  }
}
