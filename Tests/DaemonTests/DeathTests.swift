// A box whose decoders crash: log, light, status, counters and bookmarks. Test threads.

import Platform
import Testing

@testable import Daemon

@Suite struct DeathTests {
  /// Plays a track of one minute whose decoder crashes at 30 s.
  private func bench(deaths: Int, _ configuration: String = "set bookmarks.minimum-length 1\n") throws
    -> Bench
  {
    let storage = Bench.storage(configuration)
    storage.tracks["/music/dying"] = SimulatedTrack(
      seconds: 60, level: 0.25, crashes: (at: 30, times: deaths))
    let bench = try Bench(storage)
    #expect(bench.ask("play /music/dying").contains("ok"))
    bench.clock.run(seconds: 40)
    return bench
  }

  @Test func aRestartIsALineInTheLogAndNoFailure() throws {
    let bench = try bench(deaths: 1)
    #expect(bench.status("state") == "playing")
    #expect(bench.machine.logged.contains { $0.contains("Its decoder was restarted") })
    #expect(bench.status("worker-restarts", of: "stats") == "1")
    #expect(bench.status("worker-crashes", of: "stats") == "0")
    #expect(bench.status("light")?.contains("red") == false)
    bench.clock.run(seconds: 30)
    #expect(bench.status("state") == "finished")
    #expect(bench.ask("bookmarks").contains("0 bookmarks"))
  }

  @Test func twoDeathsAreAFailureWithLightAndBookmark() throws {
    let bench = try bench(deaths: 2)
    #expect(bench.status("state") == "failed")
    #expect(bench.status("position").flatMap { Double($0) }.map { abs($0 - 30) < 0.1 } == true)
    #expect(bench.status("light")?.contains("red") == true)
    #expect(bench.status("worker-crashes", of: "stats") == "1")
    #expect(bench.machine.logged.contains { $0.contains("The decoder crashed on this file") })
    #expect(bench.ask("bookmarks").contains("1 bookmark"))
  }
}
