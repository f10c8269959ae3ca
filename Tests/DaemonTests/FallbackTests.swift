// A station that is lost and returns: the fallback plays outside the queue, which stays unchanged. Test
// threads.

import Platform
import PlaybackModel
import Testing

@testable import Daemon
@testable import Simulator

@Suite struct FallbackTests {
  private static let address = "http://radio.example/live"
  private let station = SimulatedStation()
  private let stationLevel: Float = 0.25
  private let fallbackLevel: Float = 0.5

  private func bench(_ lines: String = "set stream.fallback /music/long\n") throws -> Bench {
    let storage = Bench.storage("set volume.start 100\n" + lines)
    storage.tracks[Self.address] = SimulatedTrack(seconds: 36_000, level: stationLevel, station: station)
    storage.tracks["/music/still"] = SimulatedTrack(seconds: 20, level: 0.125)
    return try Bench(storage)
  }

  private func card(_ bench: Bench) throws -> SimulatedCard { try #require(bench.machine.card) }

  /// Seconds until `condition` holds, at most `limit`.
  private func seconds(_ bench: Bench, limit: Double = 120, until condition: () throws -> Bool) rethrows
    -> Double
  {
    var passed = 0.0
    while try !condition(), passed < limit {
      bench.clock.run(seconds: 0.05)
      passed += 0.05
    }
    return passed
  }

  private func isSilent(_ bench: Bench) throws -> Bool {
    let before = try card(bench).heard
    bench.clock.run(seconds: 0.1)
    return try card(bench).heard == before
  }

  /// Plays the station until it fails and its buffered sound has ended.
  private func playUntilSilent(_ bench: Bench) throws {
    #expect(bench.ask("play \(Self.address)").contains("ok"))
    bench.clock.run(seconds: 3)
    #expect(try card(bench).last == stationLevel)
    station.isOn = false
    _ = try seconds(bench) { try isSilent(bench) }
  }

  @Test func aStationThatIsGoneIsReplacedInTimeAndComesBack() throws {
    let bench = try bench()
    try playUntilSilent(bench)
    // Buffered sound of the station may still be playing when the box gives up on it.
    var silence = 0.0
    let passed = try seconds(bench) {
      silence = try isSilent(bench) ? silence + 0.15 : 0
      return bench.machine.logged.contains { $0.contains("stream.fallback plays") }
    }
    #expect(silence > 9 && silence < 10.5 && passed < 20, "\(silence) \(passed)")
    // The fallback fades in.
    bench.clock.run(seconds: 0.5)
    #expect(try card(bench).last < 0.3)
    bench.clock.run(seconds: 3)
    #expect(try card(bench).last == fallbackLevel)
    #expect(bench.status("fallback-for") == "live" && bench.status("title") == "long")
    #expect(bench.status("queue") == "1" && bench.ask("queue list").contains("live"))
    // The current entry is the station's.
    let id = try #require(bench.status("queue-id"))
    #expect(bench.status("queue-position") == "1")
    #expect(bench.ask("queue move id:\(id) 1").contains("ok"), "\(id)")
    #expect(bench.machine.logged.contains { $0.contains("stream.fallback plays until it is back") })
    // The box retries with a growing backoff.
    bench.clock.run(seconds: 600)
    #expect(station.openings < 40 && bench.status("state") == "playing")
    station.isOn = true
    let before = try card(bench).heard
    let waited = try seconds(bench) { try card(bench).last == stationLevel }
    #expect(waited < 35, "\(waited)")
    // The fallback crossfades into the station without a silent frame.
    #expect(Double(try card(bench).heard - before) > (waited - 0.2) * 44_100)
    bench.clock.run(seconds: 5)
    #expect(bench.status("fallback-for") == nil && bench.status("path") == Self.address)
    #expect(bench.machine.logged.contains { $0.contains("The stream is back") })
  }

  /// The fallback also plays when the station has never responded.
  @Test func aStationThatIsAwayFromTheBeginningIsReplaced() throws {
    let bench = try bench("set stream.fallback /music/still\nset stream.fallback.after 3\n")
    station.isOn = false
    _ = bench.ask("play \(Self.address)")
    let silence = try seconds(bench) { try card(bench).last != 0 }
    #expect(silence > 1.5 && silence < 3.5, "\(silence)")
    // The fallback's playlist repeats.
    bench.clock.run(seconds: 50)
    #expect(try card(bench).last == 0.125 && bench.status("fallback-for") != nil)
    station.isOn = true
    _ = try seconds(bench) { try card(bench).last == stationLevel }
    #expect(try card(bench).last == stationLevel)
  }

  /// A button bound to a station plays it.
  @Test func aButtonPlaysAStation() throws {
    let bench = try bench("button one gpio gpiochip0 1\nbind one press \"play \(Self.address)\"\n")
    bench.press(1)
    bench.clock.run(seconds: 3)
    #expect(try card(bench).last == stationLevel && bench.status("state") == "playing")
    #expect(bench.status("path") == Self.address)
  }

  @Test func withoutTheSettingItStaysSilent() throws {
    let bench = try bench("")
    try playUntilSilent(bench)
    bench.clock.run(seconds: 120)
    #expect(try isSilent(bench) && bench.status("fallback-for") == nil)
    // The box retries for as long as the station is selected, once a minute.
    let openings = station.openings
    bench.clock.run(seconds: 3600)
    #expect((50...70).contains(station.openings - openings), "\(station.openings - openings)")
    // The setting also applies when it is made while the station is down.
    #expect(bench.ask("set stream.fallback /music/long").contains("ok"))
    bench.clock.run(seconds: 20)
    #expect(try card(bench).last == fallbackLevel)
  }

  /// A pause holds: the user can pause and resume the fallback, and the station is not retried during the
  /// pause.
  @Test func aPauseOutlastsTheStationsReturn() throws {
    let bench = try bench()
    try playUntilSilent(bench)
    bench.clock.run(seconds: 15)
    #expect(try card(bench).last == fallbackLevel)
    _ = bench.ask("pause")
    let openings = station.openings
    station.isOn = true
    bench.clock.run(seconds: 120)
    #expect(try isSilent(bench) && station.openings == openings)
    #expect(bench.status("state") == "paused")
    _ = bench.ask("play")
    _ = try seconds(bench) { try card(bench).last == stationLevel }
    #expect(try card(bench).last == stationLevel)
  }

  /// A station that is paused before the fallback starts stays silent.
  @Test func whatIsPausedIsNotReplaced() throws {
    let bench = try bench()
    try playUntilSilent(bench)
    _ = bench.ask("pause")
    bench.clock.run(seconds: 60)
    #expect(try isSilent(bench) && bench.status("fallback-for") == nil)
  }

  @Test(arguments: ["stop", "play short", "queue clear", "next", "standby"])
  func aPersonEndsIt(command: String) throws {
    let bench = try bench()
    try playUntilSilent(bench)
    bench.clock.run(seconds: 15)
    #expect(bench.status("fallback-for") != nil)
    #expect(bench.ask(command).contains("ok"))
    station.isOn = true
    bench.clock.run(seconds: 120)
    switch command {
    case "play short": #expect(bench.status("queue") == "1" && bench.status("state") == "finished")
    // Removing the station also ends its fallback.
    case "queue clear": #expect(try isSilent(bench) && bench.status("fallback-for") == nil)
    case "standby": #expect(try isSilent(bench) && bench.status("state") == "paused")
    default:
      #expect(try isSilent(bench))
      _ = bench.ask("play")
      bench.clock.run(seconds: 3)
      #expect(try card(bench).last == stationLevel, "the station is what was stopped")
    }
  }

  /// `next` continues with the track behind the station in the queue.
  @Test func nextGoesOnInTheQueue() throws {
    let bench = try bench()
    try playUntilSilent(bench)
    _ = bench.ask("queue add still")
    bench.clock.run(seconds: 15)
    #expect(try card(bench).last == fallbackLevel)
    _ = bench.ask("next")
    bench.clock.run(seconds: 4)
    #expect(try card(bench).last == 0.125 && bench.status("queue-position") == "2")
    #expect(bench.status("fallback-for") == nil)
  }

  /// The checkpoint names the station, not the fallback.
  @Test func aPowerCutComesBackToTheStation() throws {
    let storage = Bench.storage("set volume.start 100\nset stream.fallback /music/long\n")
    storage.tracks[Self.address] = SimulatedTrack(seconds: 36_000, level: stationLevel, station: station)
    let before = try Bench(storage)
    try playUntilSilent(before)
    before.clock.run(seconds: 30)
    #expect(before.status("fallback-for") != nil)
    before.pullThePlug()
    station.isOn = true
    let after = try Bench(storage)
    after.clock.run(seconds: 5)
    #expect(after.status("path") == Self.address && after.status("fallback-for") == nil)
    #expect(try card(after).last == stationLevel)
  }

  /// A fallback that cannot be played is reported once, and the box keeps retrying the station.
  @Test(arguments: ["/music/nothing", "/music/gone"]) func aFallbackThatFailsLeavesTheStation(path: String)
    throws
  {
    let storage = Bench.storage("set volume.start 100\nset stream.fallback \(path)\n")
    storage.tracks[Self.address] = SimulatedTrack(seconds: 36_000, level: stationLevel, station: station)
    let gone = SimulatedStation()
    gone.isOn = false
    storage.tracks["/music/gone"] = SimulatedTrack(seconds: 10, level: 1, station: gone)
    let bench = try Bench(storage)
    try playUntilSilent(bench)
    bench.clock.run(seconds: 40)
    #expect(bench.machine.logged.filter { $0.contains("stream.fallback") }.count <= 2)
    station.isOn = true
    _ = try seconds(bench) { try card(bench).last == stationLevel && !isSilent(bench) }
    #expect(try card(bench).last == stationLevel && bench.status("path") == Self.address)
  }

  @Test func switchedOffItGoesBackToTheStation() throws {
    let bench = try bench()
    try playUntilSilent(bench)
    bench.clock.run(seconds: 15)
    let watcher = bench.watcher("watch state")
    #expect(bench.ask("set stream.fallback off").contains("ok"))
    bench.clock.run(seconds: 20)
    // One attempt immediately, then the stream's backoff.
    let attempts = watcher.takeText().split(separator: "\n").count { $0.contains("next is coming") }
    #expect((1...2).contains(attempts), "\(attempts) attempts in 20 s")
    station.isOn = true
    _ = try seconds(bench) { try card(bench).last == stationLevel }
    #expect(try card(bench).last == stationLevel)
  }
}
