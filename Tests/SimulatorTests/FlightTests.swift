// Flight recordings from the simulator with a known fault: their reports, and whether a replay reproduces
// them. Test threads.

import Flight
import Simulator
import Testing

@Suite struct FlightReplayTests {
  /// The flight recording of a world.
  private func fly(_ script: String) throws -> RecordedFlight {
    let simulation = Simulation(try World(text: script))
    let recorder = simulation.record()
    let outcome = simulation.run()
    #expect(outcome.violation == nil, "\(String(describing: outcome.violation))")
    return RecordedFlight(recorder)
  }

  private func findings(_ flight: RecordedFlight) -> [String] {
    Diagnosis(flight).incidents.map { $0.sentence }
  }

  @Test func aSlowWorkerIsNamed() throws {
    let flight = try fly(
      """
      track length 80000 stalls 40000 4000
      +0 queue add 0
      +0 play
      +6000000 volume 90
      calm 30
      """)
    let found = findings(flight)
    #expect(found.count == 1)
    let sentence = try #require(found.first)
    #expect(
      sentence.hasPrefix("starved: worker of deck A ")
        && sentence.contains(" late reading storage, which took "))
    #expect(sentence.contains("its ring had "), "\(sentence)")
  }

  @Test func aLateAudioThreadIsNamed() throws {
    let flight = try fly(
      """
      track length 80000
      +0 queue add 0
      +0 play
      +5000000 stall audio 900
      calm 20
      """)
    let sentence = try #require(findings(flight).first)
    #expect(
      sentence.hasPrefix("underrun: the audio thread was ")
        && sentence.contains(" late; it had not come for "))
    #expect(findings(flight).count == 1, "\(findings(flight))")
  }

  @Test func aLostCardIsNamed() throws {
    let flight = try fly(
      """
      track length 80000
      +0 queue add 0
      +0 play
      +5000000 card lost 0
      +3200000 card back
      calm 20
      """)
    let sentence = try #require(findings(flight).first)
    #expect(
      sentence.hasPrefix("sound card lost for ") && sentence.contains("between the loss and its discovery"))
    let seconds = try #require(sentence.split(separator: " ").dropFirst(4).first.flatMap { Double($0) })
    #expect(abs(seconds - 3.2) < 1, "\(sentence)")
  }

  @Test func aTrackThatFailsIsNamed() throws {
    let flight = try fly(
      """
      track length 80000 crashes 20000
      track length 20000
      +0 queue add 0
      +0 queue add 1
      +0 play
      calm 30
      """)
    #expect(
      findings(flight).contains { $0.contains("failed on deck A: its decoder crashed, decoded up to 5.0 s") },
      "\(findings(flight))")
  }

  @Test func aQuietFlightHasNothingToTell() throws {
    let flight = try fly(
      "track length 40000\n+0 queue add 0\n+0 play\n+3000000 pause\n+2000000 play\ncalm 20")
    #expect(findings(flight).isEmpty, "\(findings(flight))")
  }

  private static let worlds = [
    "track length 80000 stalls 40000 4000\n+0 queue add 0\n+0 play\ncalm 30",
    "track length 80000\n+0 queue add 0\n+0 play\n+5000000 stall audio 900\ncalm 20",
    "track length 80000\n+0 queue add 0\n+0 play\n+5000000 card lost 0\n+3200000 card back\ncalm 20",
    "track length 40000\ntrack length 60000\n+0 crossfade 3000\n+0 queue add 0\n+0 queue add 1\n+0 play\n"
      + "@fade:40 +0 pause\n+2000000 play\n+4000000 seek 3000\n+1000000 volume 30\ncalm 40",
    "track length 40000\ntrack length 60000\ntrack length 30000\n+0 queue add 0\n+0 queue add 1\n+0 play\n"
      + "+2000000 queue insert-next 2\n+1000000 next\n+3000000 interrupt\n+1000000 release resume\n+500000 stop\ncalm 20",
    "track length 40000 crashes 12000\ntrack length 60000 refuses\ntrack length 30000\n+0 queue add 0\n+0 queue add 1\n"
      + "+0 queue add 2\n+0 play\ncalm 30",
  ]

  /// A recorded problem becomes a test: record → report → world → record.
  @Test(arguments: worlds) func aFlightComesOutTheSame(script: String) throws {
    let flight = try fly(script)
    let replay = FlightReplay(flight)
    #expect(replay.difference == nil, "\(replay.text)\n\(replay.script)")
    #expect(replay.outcome.violation == nil)
    // The script written for archiving behaves the same.
    let again = FlightReplay(RecordedFlight(try recorded(replay.script)))
    #expect(again.same >= replay.transitions, "\(again.text)")
  }

  private func recorded(_ script: String) throws -> FlightRecorder {
    let simulation = Simulation(try World(text: script))
    let recorder = simulation.record()
    _ = simulation.run()
    return recorder
  }

  @Test func aReportIsReadBack() throws {
    let report = """
      swiftlet report 1
      version: 0.1.0
      [status]
      state: playing
      [flight]
      # 12 older slots made room
      0.000000 start : 0.1.0
      1.500000 command from=socket : play name-12ab34 : with = signs
      noise that is no record
      2.000000 underrun late=0.041000 unasked=0.600000 queued=0.500000
      [last flight]
        3.000000 event event=play from=idle to=preparing verdict=changed
      [end]
      ok
      """
    #expect(RecordedFlight.isReport(report) && !RecordedFlight.isReport("rate 4000"))
    let flights = RecordedFlight.flights(in: report)
    #expect(flights.map { $0.title } == ["flight", "last flight"])
    #expect(flights[0].entries.map { $0.kind } == ["start", "command", "underrun"])
    #expect(flights[0].entries[1].text == "play name-12ab34 : with = signs")
    #expect(flights[0].notes == ["12 older slots made room"])
    #expect(Diagnosis(flights[0]).text.contains("0:02.000 underrun: the audio thread was 41 ms late"))
    #expect(Diagnosis(flights[1]).text.contains("ended here without having been told to"))
  }

  /// Files may have any content: reading one never traps.
  @Test(arguments: 1...30 as ClosedRange<UInt64>) func aSpoiltReportIsReadAsFarAsItGoes(seed: UInt64) throws {
    let flight = try fly(
      "track length 40000\n+0 queue add 0\n+0 play\n+3000000 card lost 0\n+900000 card back\ncalm 9")
    var generator = Seeded(state: seed)
    var lines = ["swiftlet report 1", "[flight]"]
    for entry in flight.entries {
      var line =
        "\(Double(entry.time) / 1e9) \(entry.kind) "
        + entry.fields.map { "\($0)=\($1)" }.joined(separator: " ")
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: continue
      case 1: line = String(line.prefix(Int.random(in: 0...line.count, using: &generator)))
      case 2: line = line.replacingOccurrences("=", "=-9")
      case 3: line = line.replacingOccurrences("0", "9999999")
      default: break
      }
      lines.append(line)
    }
    for flight in RecordedFlight.flights(in: lines.joined(separator: "\n")) {
      _ = Diagnosis(flight).text
      _ = FlightReplay(flight, ignoring: Set(Violation.Rule.allCases)).text
    }
  }
}

private struct Seeded: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 29)
  }
}

extension String {
  fileprivate func replacingOccurrences(_ old: Character, _ new: String) -> String {
    reduce(into: "") { $0 += $1 == old ? new : String($1) }
  }
}
