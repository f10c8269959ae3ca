// `swiftlet-sim replay` for a box's report: explains what went wrong and derives a world that reproduces it. One
// thread.

import Foundation
import Simulator

/// Explains and replays a report.
enum ReportReplay {
  /// Returns whether nothing went wrong and the replay equals the recording.
  static func run(_ report: String, script: String?, _ options: Options) -> Bool {
    let flights = RecordedFlight.flights(in: report)
    var isFine = true
    for flight in flights {
      print("[\(flight.title)] \(flight.entries.count) records")
      for note in flight.notes { print("note: \(note)") }
      let diagnosis = Diagnosis(flight)
      print(diagnosis.text, terminator: "")
      isFine = isFine && diagnosis.incidents.isEmpty
    }
    // The run that crashed is the interesting one.
    guard
      let flight = flights.first(where: { $0.title == "last flight" && !$0.entries.isEmpty }) ?? flights.first
    else {
      print("there are no records in it")
      return false
    }
    CrashNote.install()
    CrashNote.set("the code under trial trapped in the replay\n")
    let replay = FlightReplay(flight, ignoring: options.ignored)
    print(replay.text, terminator: "")
    if let script {
      guard (try? replay.script.write(toFile: script, atomically: true, encoding: .utf8)) != nil else {
        print("\(script) cannot be written")
        return false
      }
      print("the world is in \(script), for 'swiftlet-sim replay'")
    }
    return isFine && replay.difference == nil && replay.outcome.violation == nil
  }
}
