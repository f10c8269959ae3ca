// A box whose own storage does not respond at startup: it accepts commands, and restores its state once it
// has been read. Test threads.

import Testing

@testable import Daemon

@Suite struct LateMemoryTests {
  private let storage = Bench.storage("set bookmarks.minimum-length 20\n")

  /// A box that was playing the long track, restarted with storage that hangs.
  private func next(pressed: Set<Int> = []) throws -> Bench {
    let first = try Bench(storage)
    _ = first.ask("play long")
    first.clock.run(seconds: 30)
    first.pullThePlug()
    storage.stateHangs = true
    return try Bench(storage, pressed: pressed)
  }

  private func answer(_ bench: Bench) {
    storage.stateHangs = false
    bench.clock.run(seconds: 1)
  }

  @Test func itTakesCommandsAndGoesOnWhenItKnows() throws {
    let bench = try next()
    #expect(bench.status("state") == "idle", "within a second")
    #expect(bench.status("waiting-for-storage") == "/")
    #expect(bench.machine.logged.contains { $0.contains("Ready.") })
    answer(bench)
    #expect(bench.status("state") == "playing" && bench.status("queue") == "1")
    #expect(bench.status("waiting-for-storage") == nil)
  }

  @Test func itReplacesNothingThatItDoesNotKnow() throws {
    let bench = try next()
    bench.clock.run(seconds: 40)
    _ = bench.ask("volume 3")
    #expect(bench.ask("power-failing").contains("error"))
    bench.machine.terminate()
    bench.clock.run(seconds: 5)
    guard case .ended? = bench.box?.outcome else {
      Issue.record("it runs")
      return
    }
    storage.stateHangs = false
    let last = try Bench(storage)
    last.clock.run(seconds: 1)
    #expect(last.status("state") == "playing" && last.status("volume") != "3")
  }

  @Test func aPressOfPlayWaitsForIt() throws {
    let bench = try next()
    #expect(bench.ask("play").hasPrefix("ok"))
    #expect(bench.status("text") == "Waiting for music")
    bench.clock.run(seconds: 1)
    #expect(bench.status("light") == "amber short gaps")
    answer(bench)
    #expect(bench.status("light") == "green steady")
    #expect(bench.status("path") == "/music/long" && bench.status("state") == "playing")
  }

  /// Also for a box that was stopped, with a queue and nothing loaded.
  @Test(arguments: [["pause", "stop"], ["stop"], ["next", "next"], ["pause"], ["seek 100%"]])
  func aPressOfPlayStartsWhatWasStopped(before: [String]) throws {
    let first = try Bench(storage)
    _ = first.ask("play short")
    _ = first.ask("queue add long")
    first.clock.run(seconds: 1)
    for command in before { _ = first.ask(command) }
    first.clock.run(seconds: 5)
    first.pullThePlug()
    storage.stateHangs = true
    let bench = try Bench(storage)
    #expect(bench.ask("play").hasPrefix("ok"))
    answer(bench)
    #expect(bench.status("queue") == "2" && bench.status("state") == "playing")
  }

  /// The music must not start two minutes later.
  @Test(arguments: [
    ["stop"], ["pause"], ["toggle", "toggle"], ["play", "pause"], ["play", "stop"], ["toggle", "standby"],
  ])
  func whoWantsSilenceMeanwhileHasIt(commands: [String]) throws {
    let bench = try next()
    for command in commands { _ = bench.ask(command) }
    answer(bench)
    #expect(bench.status("path") == "/music/long")
    #expect(bench.status("state") == "paused")
    _ = bench.ask("play")
    #expect(bench.status("state") == "playing")
  }

  /// The last command counts, even though nothing could be played when it was given.
  @Test(arguments: ["play", "toggle"]) func whoWantsMusicAfterAllHasIt(command: String) throws {
    let bench = try next()
    _ = bench.ask("stop")
    bench.clock.run(seconds: 12)
    #expect(bench.ask(command).contains("error"))
    answer(bench)
    #expect(bench.status("path") == "/music/long" && bench.status("state") == "playing")
  }

  /// After a timeout the box plays other music.
  @Test func aPressOfPlayGetsOtherMusicInTheEnd() throws {
    storage.folders["/music"] = 3
    storage.tracks["/music/track"] = SimulatedTrack(seconds: 60, level: 0.1)
    let bench = try next()
    _ = bench.ask("play")
    bench.clock.run(seconds: 6)
    #expect(bench.status("queue") == "0")
    bench.clock.run(seconds: 4)
    #expect(bench.status("queue") == "3" && bench.status("state") == "playing")
  }

  @Test func whatAPersonPlaysMeanwhileStays() throws {
    let bench = try next()
    _ = bench.ask("play short")
    answer(bench)
    #expect(bench.status("path") == "/music/short" && bench.status("queue") == "1")
    #expect(bench.machine.logged.contains { $0.contains("What was remembered came too late") })
    bench.pullThePlug()
    let last = try Bench(storage)
    last.clock.run(seconds: 1)
    #expect(last.status("path") == "/music/short")
  }

  /// A press right after power-on is not lost.
  @Test func anEarlyPressCounts() throws {
    let bench = try next()
    bench.machine.devices.chip.set(0, isPressed: true)
    bench.clock.run(seconds: 0.1)
    bench.machine.devices.chip.set(0, isPressed: false)
    bench.clock.run(seconds: 2)
    #expect(bench.status("text") == "Waiting for music")
  }
}
