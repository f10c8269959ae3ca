// A queue whose tracks all fail: the box retries slowly, reports the failures and limits its log. Test
// threads.

import Platform
import Testing

@testable import Daemon

@Suite struct FailureRowTests {
  private let storage = Bench.storage("set media.removable /media\nset media.removable-action play\n")

  /// A box with a queue of `count` tracks that do not exist.
  private func bench(_ count: Int) throws -> Bench {
    var folder = SimulatedFolder(entries: [])
    folder.tracks = count
    storage.folders["/music/list"] = folder
    let bench = try Bench(storage)
    _ = bench.ask("play /music/list")
    return bench
  }

  private func failed(_ bench: Bench) -> Int {
    bench.status("failed-tracks", of: "stats").flatMap { Int($0) } ?? -1
  }

  private func isSlow(_ bench: Bench) {
    #expect(bench.status("state") == "failed" && bench.status("queue") == "3000")
    // The track that `play` skips to fails before `play` itself resets the count of failures.
    #expect((20...30).contains(failed(bench)))
    #expect(bench.status("failed-in-a-row").flatMap { Int($0) }.map { $0 >= 20 } == true)
    #expect(bench.status("last-error")?.contains("; trying the next one in ") == true)
    #expect(bench.status("track-retry-seconds") != nil)
    #expect(bench.machine.logged.contains { $0.hasPrefix("20 tracks in a row have failed") })
  }

  @Test func aListOfMissingFilesCostsLittle() throws {
    let bench = try bench(3000)
    isSlow(bench)
    let before = failed(bench)
    bench.clock.run(seconds: 600)
    #expect(failed(bench) - before <= 65, "one in ten seconds")
    // The failure is logged three times a minute, with a count.
    #expect(bench.machine.logged.count { $0.contains("The file does not exist") } <= 45)
    #expect(bench.ask("volume 30").contains("30 %"))
  }

  @Test func aStickWhoseLinksLeadNowhereCostsLittle() throws {
    var folder = SimulatedFolder(entries: [])
    folder.tracks = 3000
    storage.folders["/media/stick"] = folder
    let bench = try Bench(storage)
    bench.machine.mounts.points = ["/media/stick"]
    bench.clock.run(seconds: 2)
    isSlow(bench)
  }

  @Test func theMusicBehindItIsFound() throws {
    let bench = try bench(3000)
    _ = bench.ask("queue add /music/long")
    storage.tracks["/music/list/track"] = SimulatedTrack(seconds: 30, level: 0.25)
    bench.clock.run(seconds: 11)
    #expect(bench.status("state") == "playing")
    #expect(bench.status("failed-in-a-row") == nil && bench.status("track-retry-seconds") == nil)
  }

  @Test func aPersonWaitsForNothing() throws {
    let bench = try bench(3000)
    bench.clock.run(seconds: 60)
    _ = bench.ask("play /music/long")
    #expect(bench.status("state") == "playing")
  }

  /// Neither a power cut nor a change of the output resets the backoff.
  @Test func aPowerCutChangesNothing() throws {
    let first = try bench(3000)
    // Long enough that the next start is not a careful start.
    first.clock.run(seconds: 70)
    _ = first.ask("power-failing")
    first.pullThePlug()
    let bench = try Bench(storage)
    bench.clock.run(seconds: 2)
    isSlow(bench)
    storage.tracks["/music/list/track"] = SimulatedTrack(seconds: 30, level: 0.25)
    bench.clock.run(seconds: 11)
    #expect(bench.status("state") == "playing")
  }

  @Test func anotherOutputChangesNothing() throws {
    let bench = try bench(3000)
    bench.clock.run(seconds: 60)
    _ = bench.ask("set output.device other")
    bench.clock.run(seconds: 5)
    #expect(bench.status("state") == "failed" && bench.status("track-retry-seconds") != nil)
    storage.tracks["/music/list/track"] = SimulatedTrack(seconds: 30, level: 0.25)
    bench.clock.run(seconds: 11)
    #expect(bench.status("state") == "playing")
  }
}
