// Stations whose server refuses them for a while (status 401, 403, 404, 410): retried while the queue has nothing else to
// play. Test threads.

import PlaybackModel
import Testing

@testable import Daemon
@testable import Simulator

@Suite struct StationRefusalTests {
  private static let address = "http://radio.example/live"
  private static let level: Float = 0.125

  private func storage() -> SimulatedStorage {
    let storage = Bench.storage("set volume.start 100\n")
    storage.tracks[Self.address] = SimulatedTrack(
      seconds: 36_000, level: Self.level, station: SimulatedStation())
    return storage
  }

  private func plays(_ bench: Bench, within seconds: Double) throws -> Bool {
    let card = try #require(bench.machine.card)
    var left = seconds
    while left > 0, card.last != Self.level {
      bench.clock.run(seconds: 0.5)
      left -= 0.5
    }
    return card.last == Self.level
  }

  /// An address that this process has never played is retried, with a backoff, and the attempts are visible.
  @Test func aStationThatIsRefusedAtFirstIsTriedAgain() throws {
    let storage = storage()
    storage.tracks[Self.address]?.failure = .refused
    let bench = try Bench(storage)
    #expect(bench.ask("play \(Self.address)").contains("ok"))
    bench.clock.run(seconds: 0.5)
    #expect(bench.status("state") == "failed")
    #expect(bench.status("light")?.hasPrefix("amber") == true, "\(bench.status("light") ?? "")")
    #expect(bench.status("track-retry-seconds") != nil)
    #expect(bench.status("last-error")?.contains("trying again in") == true)
    #expect(bench.machine.logged.contains { $0.contains("tries again by itself") })
    // Also when the first attempts are used up.
    bench.clock.run(seconds: 3600)
    #expect(bench.status("state") == "failed" && bench.status("track-retry-seconds") != nil)
    storage.tracks[Self.address]?.failure = nil
    #expect(try plays(bench, within: 65))
  }

  /// The box forgets which stations it has played when it restarts.
  @Test func aRestartedBoxWaitsForItsStation() throws {
    let storage = storage()
    let before = try Bench(storage)
    #expect(before.ask("play \(Self.address)").contains("ok"))
    #expect(try plays(before, within: 5))
    #expect(before.ask("play short").contains("ok"))
    before.clock.run(seconds: 5)
    before.pullThePlug()
    storage.tracks[Self.address]?.failure = .refused
    let after = try Bench(storage)
    after.clock.run(seconds: 2)
    #expect(after.ask("play \(Self.address)").contains("ok"))
    after.clock.run(seconds: 90)
    #expect(after.status("state") == "failed")
    storage.tracks[Self.address]?.failure = nil
    #expect(try plays(after, within: 65))
  }

  /// With other entries behind it, the queue moves on at once.
  @Test func aRefusedStationDoesNotHoldUpTheQueue() throws {
    let storage = storage()
    storage.tracks[Self.address]?.failure = .refused
    let bench = try Bench(storage)
    for line in ["play short", "queue add \(Self.address)", "queue add long", "next"] {
      #expect(bench.ask(line).contains("ok"), "\(line)")
    }
    bench.clock.run(seconds: 1)
    #expect(bench.status("state") == "playing" && bench.status("title") == "long")
  }

  /// A station that replaces music with a fade is retried as well; the music, which is no longer in the queue, ends.
  @Test(arguments: [PlaybackError.Kind.refused, .network]) func aFadeIntoAStationThatIsAwayWaitsForIt(
    kind: PlaybackError.Kind
  ) throws {
    let storage = storage()
    storage.tracks[Self.address]?.failure = kind
    let bench = try Bench(storage)
    for line in ["set fade.manual-length 2", "play long"] {
      #expect(bench.ask(line).contains("ok"), "\(line)")
    }
    bench.clock.run(seconds: 2)
    #expect(bench.ask("play \(Self.address)").contains("ok"))
    bench.clock.run(seconds: 5)
    #expect(bench.status("state") == "failed" && bench.status("path") == Self.address)
    #expect(bench.status("track-retry-seconds") != nil)
    storage.tracks[Self.address]?.failure = nil
    #expect(try plays(bench, within: 65))
  }

  /// A press tries at once.
  @Test func aPressTriesAtOnce() throws {
    let storage = storage()
    storage.tracks[Self.address]?.failure = .refused
    let bench = try Bench(storage)
    #expect(bench.ask("play \(Self.address)").contains("ok"))
    bench.clock.run(seconds: 300)
    storage.tracks[Self.address]?.failure = nil
    bench.press(0)
    #expect(try plays(bench, within: 2))
  }
}
