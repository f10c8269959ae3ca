// What `checkpoint.resume` makes of what is remembered. Test threads.

import Testing

@testable import Daemon

@Suite struct ResumeTests {
  /// What a box remembers that was playing the first of two tracks.
  private func remembered(_ resume: String) throws -> SimulatedStorage {
    let storage = Bench.storage("set checkpoint.resume \(resume)\n")
    let bench = try Bench(storage)
    _ = bench.ask("volume 37")
    _ = bench.ask("queue add /music/long /music/short")
    _ = bench.ask("play")
    bench.clock.run(seconds: 30)
    #expect(bench.status("state") == "playing")
    _ = bench.ask("power-failing")
    bench.pullThePlug()
    return storage
  }

  /// Not a frame is heard for a minute.
  private func isSilent(_ bench: Bench) throws {
    bench.clock.run(seconds: 60)
    #expect(try #require(bench.machine.card).heard == 0)
  }

  @Test func pausedWaitsWhereItWas() throws {
    let bench = try Bench(try remembered("paused"))
    try isSilent(bench)
    #expect(bench.status("queue") == "2" && bench.status("volume") == "37")
    _ = bench.ask("play")
    #expect(bench.status("path") == "/music/long" && bench.status("state") == "playing")
    #expect(bench.status("position").flatMap(Double.init).map { $0 > 25 } == true)
  }

  @Test func pausedIsSilentAlsoWhereTheFileHasGone() throws {
    let storage = try remembered("paused")
    storage.tracks["/music/long"] = nil
    let bench = try Bench(storage)
    try isSilent(bench)
    #expect(bench.status("queue") == "2")
    _ = bench.ask("play")
    bench.clock.run(seconds: 2)
    #expect(bench.status("path") == "/music/short" && bench.status("state") == "playing")
  }

  @Test func offBeginsWithAnEmptyQueueAndTheSameVolume() throws {
    let bench = try Bench(try remembered("off"))
    try isSilent(bench)
    #expect(bench.status("state") == "idle" && bench.status("queue") == "0")
    #expect(bench.status("volume") == "37")
  }
}
