// Careful starts: after repeated early crashes, and with a button held at power-on. Test threads.

import Testing

@testable import Daemon

@Suite struct CarefulStartTests {
  @Test func aBoxThatDiesAgainAndAgainStartsWithCare() throws {
    let storage = Bench.storage()
    var states: [String] = []
    for _ in 0..<7 {
      let bench = try Bench(storage)
      bench.clock.run(seconds: 2)
      if bench.status("queue") == "0", states.isEmpty { _ = bench.ask("play long") }
      states.append(bench.status("state") ?? "")
      if states.count > 3 {
        #expect(bench.machine.logged.contains { $0.contains("died \(states.count - 1) times") })
      }
      bench.pullThePlug()
    }
    #expect(states == ["playing", "playing", "playing", "paused", "paused", "idle", "idle"])
    // The saved state is kept until the box has run for a minute.
    let bench = try Bench(storage)
    bench.clock.run(seconds: 61)
    bench.pullThePlug()
    let last = try Bench(storage)
    last.clock.run(seconds: 2)
    #expect(last.status("queue") == "1")
  }

  /// A careful start is shown by the light and a cue until a button is pressed.
  @Test func aCarefulStartIsSeenAndHeard() throws {
    let storage = Bench.storage("set cues.enabled on\n")
    storage.write("/run/starts", "3")
    let bench = try Bench(storage)
    bench.clock.run(seconds: 3)
    #expect(bench.status("light") == "red 12 flashes")
    #expect(try #require(bench.machine.card).heard > 0)
    bench.clock.run(seconds: 100)
    #expect(bench.status("light") == "red 12 flashes")
    bench.machine.devices.chip.set(0, isPressed: true)
    bench.clock.run(seconds: 0.1)
    bench.machine.devices.chip.set(0, isPressed: false)
    bench.clock.run(seconds: 1)
    #expect(bench.status("light") != "red 12 flashes")
  }

  @Test func musicEndsTheLightOfACarefulStart() throws {
    let storage = Bench.storage()
    storage.write("/run/starts", "6")
    let bench = try Bench(storage)
    bench.clock.run(seconds: 1)
    #expect(bench.status("light") == "red 12 flashes")
    _ = bench.ask("play long")
    #expect(bench.status("light") == "green steady")
    _ = bench.ask("pause")
    #expect(bench.status("light") != "red 12 flashes")
  }

  @Test func aBoxThatWasToldToEndHasNotDied() throws {
    let storage = Bench.storage()
    for _ in 0..<8 {
      let bench = try Bench(storage)
      bench.clock.run(seconds: 1)
      bench.machine.terminate()
      bench.clock.run(seconds: 5)
      #expect(!bench.machine.logged.contains { $0.contains("has died") })
    }
  }

  @Test func aSafeStartHasTheBoardsControls() throws {
    let storage = Bench.storage("board test\nunbind play short\nbind play short volume 0\n")
    storage.write("/boards/test", "button play gpio gpiochip0 0\nbind play short toggle\n")
    let bench = try Bench(storage, pressed: [0])
    bench.clock.run(seconds: 3)
    let controls = bench.ask("controls")
    #expect(controls.contains("bind play short toggle") && !controls.contains("volume 0"), "\(controls)")
  }
}
