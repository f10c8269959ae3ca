// Seeking in a kept stream. Each second of the simulated station is a step louder, so the level identifies
// the second. Test threads.

import Platform
import PlaybackModel
import Testing

@testable import Daemon
@testable import Simulator

@Suite struct TimeShiftTests {
  private static let address = "http://radio.example/live"
  private let station = SimulatedStation()

  private func bench(_ lines: String = "") throws -> Bench {
    station.kept = 240
    let storage = Bench.storage("set volume.start 100\n" + lines)
    storage.tracks[Self.address] = SimulatedTrack(seconds: 36_000, level: 0.25, station: station)
    return try Bench(storage)
  }

  // Each question advances the clock by one second.

  /// The second of the station that is playing.
  private func second(_ bench: Bench) throws -> Float {
    let card = try #require(bench.machine.card)
    return (card.last - 0.25) / SimulatedStation.step
  }

  private func behind(_ bench: Bench) throws -> Double {
    let text = try #require(bench.status("behind-live"))
    return try #require(Double(text))
  }

  /// Plays the station for some seconds.
  private func play(_ bench: Bench, seconds: Double) throws {
    #expect(bench.ask("play \(Self.address)").contains("ok"))
    bench.clock.run(seconds: seconds)
    #expect(bench.status("state") == "playing")
  }

  @Test func aStationGoesOnWhereItWasPaused() throws {
    let bench = try bench()
    try play(bench, seconds: 10)
    let (second, behind) = (try second(bench), try behind(bench))
    #expect(bench.ask("pause").contains("ok"))
    bench.clock.run(seconds: 60)
    let later = try self.behind(bench)
    #expect((60...63.5).contains(later - behind), "\(behind) \(later)")
    #expect(bench.ask("play").contains("ok"))
    bench.clock.run(seconds: 1)
    let heard = try self.second(bench)
    #expect((second...(second + 4)).contains(heard), "\(second) \(heard)")
    #expect(station.openings == 1)
  }

  @Test func seeksLeadToTheirSecond() throws {
    let bench = try bench()
    try play(bench, seconds: 100)
    let begin = try second(bench)
    #expect(bench.ask("seek -0:30").contains("ok"))
    bench.clock.run(seconds: 1)
    #expect(try abs(second(bench) - (begin - 28)) <= 2)
    let behind = try behind(bench)
    #expect(bench.ask("seek +0:10").contains("ok"))
    bench.clock.run(seconds: 1)
    #expect(try abs(second(bench) - (begin - 15)) <= 2)
    #expect(try abs(self.behind(bench) - (behind - 10)) < 1)
    #expect(bench.ask("seek live").contains("ok"))
    bench.clock.run(seconds: 1)
    #expect(try self.behind(bench) < 4)
    // Seeks beyond the oldest kept second and beyond the live position.
    #expect(bench.ask("seek -10:00").contains("oldest"))
    bench.clock.run(seconds: 1)
    #expect(try second(bench) <= 4)
    #expect(bench.ask("seek +10:00").contains("present"))
    bench.clock.run(seconds: 1)
    #expect(try self.behind(bench) < 4)
  }

  @Test func aPausedStationIsSoughtInSilence() throws {
    let bench = try bench()
    try play(bench, seconds: 100)
    let begin = try second(bench)
    _ = bench.ask("pause")
    bench.clock.run(seconds: 5)
    #expect(bench.ask("seek -0:30").contains("ok"))
    bench.clock.run(seconds: 5)
    #expect(bench.status("state") == "paused")
    let behind = try behind(bench)
    #expect((42...48).contains(behind), "\(behind)")
    _ = bench.ask("play")
    bench.clock.run(seconds: 1)
    #expect(try abs(second(bench) - (begin - 28)) <= 3)
    #expect(station.openings == 1)
  }

  /// Kept audio stays available when the connection is lost.
  @Test func aStationThatIsAwayIsHeardAgain() throws {
    let bench = try bench()
    try play(bench, seconds: 60)
    station.isOn = false
    bench.clock.run(seconds: 6)
    #expect(bench.status("state") == "buffering")
    #expect(bench.ask("seek -0:30").contains("ok"))
    bench.clock.run(seconds: 1)
    #expect(bench.status("state") == "playing")
    let heard = try second(bench)
    #expect((30...40).contains(heard), "\(heard)")
  }

  @Test func beforeItHasSoundedThereIsNothingToGoTo() throws {
    let bench = try bench()
    station.isOn = false
    #expect(bench.ask("play \(Self.address)").contains("ok"))
    #expect(bench.ask("seek live").contains("error") && bench.status("behind-live") == nil)
    station.isOn = true
    for _ in 0..<600 where bench.status("state") != "playing" { bench.clock.run(seconds: 0.1) }
    #expect(bench.status("behind-live") != nil)
    // A file has no live position, and status does not show one.
    #expect(bench.ask("play /music/long").contains("ok"))
    bench.clock.run(seconds: 5)
    #expect(bench.ask("seek live").contains("error") && bench.status("behind-live") == nil)
  }

  /// During a fade a seek applies to the incoming track.
  @Test func aFadeIntoAStationEndsWithASeek() throws {
    let bench = try bench("set fade.manual-length 8\n")
    #expect(bench.ask("play /music/long").contains("ok"))
    bench.clock.run(seconds: 5)
    #expect(bench.ask("queue add \(Self.address)").contains("ok"))
    #expect(bench.ask("next").contains("ok"))
    bench.clock.run(seconds: 5)
    #expect(bench.status("state") == "crossfading")
    #expect(bench.ask("seek -0:10").contains("oldest"))
    bench.clock.run(seconds: 1)
    #expect(bench.status("state") == "playing" && bench.status("path") == Self.address)
    #expect(try second(bench) <= 6)
  }

  /// While the fallback plays, a seek applies to the fallback.
  @Test func aSeekInTheFadeToTheFallbackIsItsOwn() throws {
    let bench = try bench("set stream.fallback /music/long\n")
    try play(bench, seconds: 30)
    station.isOn = false
    for _ in 0..<200 where bench.status("fallback-for") == nil { bench.clock.run(seconds: 0.1) }
    bench.clock.run(seconds: 0.5)
    #expect(bench.ask("seek 20").contains("ok"))
    bench.clock.run(seconds: 1)
    #expect(bench.status("path") == "/music/long" && bench.status("behind-live") == nil)
    let text = try #require(bench.status("position"))
    let position = try #require(Double(text))
    #expect((20...26).contains(position), "\(position)")
  }
}
