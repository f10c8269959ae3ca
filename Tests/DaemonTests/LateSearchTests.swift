// Lookups on slow storage, and commands that the user gives before they finish. Test threads.

import Platform
import Testing

@testable import Daemon
@testable import Simulator

@Suite struct LateSearchTests {
  private func bench(_ lines: String = "") throws -> Bench {
    let storage = Bench.storage(lines)
    storage.folders["/music"] = 2
    storage.tracks["/music/track"] = SimulatedTrack(seconds: 60, level: 0.25)
    return try Bench(storage)
  }

  /// Sends a line whose music is not found yet.
  private func order(_ line: String, _ bench: Bench) -> ClientWire {
    bench.machine.storage.hangs = true
    let wire = bench.machine.listener.connect()
    wire.type(line)
    bench.clock.run(seconds: 1)
    return wire
  }

  private func findIt(_ bench: Bench) {
    bench.machine.storage.hangs = false
    bench.clock.run(seconds: 3)
  }

  /// The last command counts, however late the storage responds.
  @Test(arguments: ["play long", "play"], ["pause", "stop", "standby"])
  func silenceThatWasWantedSinceIsKept(line: String, wish: String) throws {
    let bench = try bench()
    let wire = order(line, bench)
    _ = bench.ask(wish)
    findIt(bench)
    #expect(bench.status("state") != "playing" && bench.machine.card?.heard ?? 0 == 0)
    #expect(wire.takeText().contains("given up for what was asked for since"))
    #expect(bench.ask("play long").hasPrefix("ok 1 track"))
    bench.clock.run(seconds: 2)
    #expect(bench.status("state") == "playing")
  }

  @Test func aPressThatPausesWhatPlaysIsSuchAWish() throws {
    let bench = try bench()
    _ = bench.ask("play short")
    bench.clock.run(seconds: 2)
    let wire = order("play long", bench)
    bench.press(0)
    findIt(bench)
    #expect(bench.status("state") == "paused" && bench.status("title") == "short")
    #expect(wire.takeText().contains("given up"))
  }

  /// A repeated press does not cancel the first one.
  @Test func pressedTwiceItPlays() throws {
    let bench = try bench()
    bench.machine.storage.hangs = true
    bench.press(0)
    bench.clock.run(seconds: 1)
    bench.press(0)
    bench.clock.run(seconds: 1)
    findIt(bench)
    #expect(bench.status("state") == "playing" && bench.status("queue") == "2")
  }

  @Test func whatWasQueuedMeanwhilePlaysWhereNothingIsFound() throws {
    let address = "http://radio.example/live"
    let storage = Bench.storage()
    storage.tracks = [address: SimulatedTrack(seconds: 60, level: 0.25)]
    let bench = try Bench(storage)
    let wire = order("play", bench)
    #expect(bench.ask("queue add \(address)").contains("1 added"))
    findIt(bench)
    #expect(bench.status("state") == "playing", "\(wire.takeText())")
  }

  @Test func aTagThatIsGoneBeforeItsMusicWasFoundDoesNotPlay() throws {
    let bench = try bench("set tags.removed pause\n")
    _ = bench.ask("tag 1 play long")
    _ = order("tag swipe 1", bench)
    _ = bench.ask("tag lift")
    findIt(bench)
    #expect(bench.status("state") != "playing" && bench.machine.card?.heard ?? 0 == 0)
    _ = bench.ask("tag swipe 1")
    bench.clock.run(seconds: 2)
    #expect(bench.status("state") == "playing")
  }
}
