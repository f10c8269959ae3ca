// A music folder whose disk or share is not mounted: the queue is kept, and playback resumes once it is
// mounted again. Test threads.

import Platform
import Testing

@testable import Daemon
@testable import Simulator

@Suite struct AbsentRootTests {
  private let storage = Bench.storage()

  /// A box that was playing the second of three tracks when its power went, restarted with that track's disk
  /// unmounted.
  private func next(isPaused: Bool = false) throws -> Bench {
    let first = try Bench(storage)
    _ = first.ask("queue add /music/short /music/long /music/short")
    _ = first.ask("queue jump 2")
    first.clock.run(seconds: 30)
    if isPaused { _ = first.ask("pause") }
    _ = first.ask("power-failing")
    first.pullThePlug()
    storage.absentRoots = ["/music"]
    let bench = try Bench(storage)
    bench.clock.run(seconds: 2)
    return bench
  }

  private func comesBack() {
    storage.absentRoots = []
    storage.folders["/music"] = SimulatedFolder(entries: [DirectoryEntry(name: "long", isDirectory: false)])
  }

  private func isAway(_ bench: Bench) {
    #expect(bench.status("state") == "failed")
    #expect(bench.status("queue") == "3" && bench.status("queue-position") == "2")
  }

  /// Checks that the second track plays from its saved position.
  private func continues(_ bench: Bench) {
    #expect(bench.status("state") == "playing" && bench.status("path") == "/music/long")
    #expect(bench.status("queue") == "3" && bench.status("queue-position") == "2")
    #expect(bench.status("position").flatMap(Double.init).map { $0 > 25 && $0 < 120 } == true)
  }

  @Test func theMusicContinuesWhenTheFolderIsBack() throws {
    let bench = try next()
    isAway(bench)
    #expect(bench.status("light") == "amber 11 flashes")
    #expect(bench.status("last-error")?.contains("is away: /music/long") == true)
    #expect(bench.machine.logged.contains { $0.contains("/music is away") })
    bench.clock.run(seconds: 3600)
    isAway(bench)
    comesBack()
    bench.clock.run(seconds: 31)
    continues(bench)
  }

  @Test func aMountIsNoticedAtOnce() throws {
    let bench = try next()
    bench.clock.run(seconds: 3600)
    comesBack()
    bench.machine.mounts.points = ["/media/other", "/music"]
    bench.clock.run(seconds: 1)
    continues(bench)
  }

  @Test func anotherPowerOnWithoutItLosesNothing() throws {
    var bench = try next()
    for _ in 0..<3 {
      isAway(bench)
      // Long enough that the next start is not a careful start.
      bench.clock.run(seconds: 61)
      _ = bench.ask("power-failing")
      bench.pullThePlug()
      bench = try Bench(storage)
      bench.clock.run(seconds: 2)
    }
    comesBack()
    bench.clock.run(seconds: 31)
    continues(bench)
  }

  @Test func whoPressesPlayMeanwhileLosesNothing() throws {
    let bench = try next()
    for command in ["play", "retry", "toggle"] {
      for _ in 0..<10 { _ = bench.ask(command) }
      isAway(bench)
    }
    comesBack()
    bench.clock.run(seconds: 31)
    continues(bench)
  }

  @Test func whatWasPausedStaysSo() throws {
    let bench = try next(isPaused: true)
    isAway(bench)
    comesBack()
    bench.machine.mounts.points = ["/music"]
    bench.clock.run(seconds: 31)
    #expect(bench.status("state") == "ready" || bench.status("state") == "paused")
    _ = bench.ask("play")
    continues(bench)
  }

  @Test func aDiskThatGoesWhileItPlaysComesBack() throws {
    let bench = try Bench(storage)
    bench.machine.mounts.points = ["/music"]
    _ = bench.ask("queue add /music/short /music/long /music/short")
    _ = bench.ask("queue jump 2")
    bench.clock.run(seconds: 30)
    storage.absentRoots = ["/music"]
    bench.machine.mounts.points = []
    bench.clock.run(seconds: 1)
    isAway(bench)
    bench.clock.run(seconds: 3600)
    isAway(bench)
    comesBack()
    bench.machine.mounts.points = ["/music"]
    bench.clock.run(seconds: 1)
    continues(bench)
  }

  // MARK: Missing files

  /// A failed file is retried on the user's `play` and at the next power-on.
  @Test(arguments: ["play", "toggle"]) func aPersonsPlayTriesAgain(command: String) throws {
    let bench = try Bench(storage)
    _ = bench.ask("queue add /music/long /music/short")
    let track = storage.tracks.removeValue(forKey: "/music/short")
    _ = bench.ask("queue jump 2")
    bench.clock.run(seconds: 2)
    #expect(bench.status("state") == "failed")
    #expect(bench.ask(command).hasPrefix("error: Failed"))
    bench.clock.run(seconds: 2)
    #expect(bench.status("state") == "failed", "it is still not there")
    storage.tracks["/music/short"] = track
    #expect(bench.ask(command).hasPrefix("ok"))
    bench.clock.run(seconds: 2)
    #expect(bench.status("state") == "playing")
  }

  @Test func aPowerOnTriesAgain() throws {
    let first = try Bench(storage)
    _ = first.ask("queue add /music/long /music/short")
    let track = storage.tracks.removeValue(forKey: "/music/short")
    _ = first.ask("queue jump 2")
    first.clock.run(seconds: 2)
    #expect(first.status("state") == "failed")
    _ = first.ask("queue jump 1")
    #expect(first.status("path") == "/music/long" && first.status("state") == "playing")
    _ = first.ask("power-failing")
    first.pullThePlug()
    storage.tracks["/music/short"] = track
    let bench = try Bench(storage)
    bench.clock.run(seconds: 2)
    #expect(bench.status("path") == "/music/long")
    _ = bench.ask("next")
    #expect(bench.status("path") == "/music/short" && bench.status("state") == "playing")
  }
}
