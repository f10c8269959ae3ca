// The effect of `checkpoint.resume` on a stored state. Test threads.

import Testing

@testable import Daemon

@Suite struct ResumeTests {
  /// Storage of a box that was playing the first of two tracks.
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

  /// Checks that a minute is silent.
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

  /// `queue.repeat`, `queue.shuffle` and `queue.end` survive a restart and the next change of another setting; `save` stores the present values.
  @Test(
    arguments: [
      ("queue.repeat", ["off", "one", "all"]), ("queue.shuffle", ["off", "on"]),
      ("queue.end", ["stop", "clear", "repeat"]),
    ],
    ["restart", "output"])
  func whatTheQueueDoesStays(setting: (key: String, values: [String]), by: String) throws {
    for value in setting.values {
      let storage = Bench.storage()
      let first = try Bench(storage)
      _ = first.ask("queue add /music/long /music/short")
      #expect(first.ask("set \(setting.key) \(value)").hasPrefix("ok"))
      _ = first.ask("play")
      _ = first.ask("power-failing")
      first.pullThePlug()
      let bench = try Bench(storage)
      bench.clock.run(seconds: 1)
      func inForce() -> [String] {
        let queue = bench.box!.owners.outputs.player.queue
        return [queue.repeatMode.name, queue.isShuffled ? "on" : "off", "\(queue.endOfQueue)"]
      }
      let before = inForce()
      #expect(bench.ask("show \(setting.key)").contains("\(setting.key) \(value)"))
      _ = bench.ask("set fade.length 3")
      if by == "output" {
        _ = bench.ask("set output.rate 48000")
        bench.clock.run(seconds: 5)
      }
      #expect(inForce() == before, "\(setting.key) \(value)")
      #expect(bench.ask("show \(setting.key)").contains("\(setting.key) \(value)"))
      let shown = ["queue.repeat": before[0], "queue.shuffle": before[1]][setting.key]
      #expect(shown == nil || shown == value)
    }
  }

  @Test func offBeginsWithAnEmptyQueueAndTheSameVolume() throws {
    let bench = try Bench(try remembered("off"))
    try isSilent(bench)
    #expect(bench.status("state") == "idle" && bench.status("queue") == "0")
    #expect(bench.status("volume") == "37")
  }
}
