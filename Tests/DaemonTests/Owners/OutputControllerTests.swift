// Outputs that disappear and return, in a complete box. Test threads.

import Console
import PlaybackModel
import Testing

@testable import Daemon

@Suite struct OutputControllerTests {
  @Test func everythingGoesOnOnAnotherOutput() throws {
    let storage = Bench.storage("set media.removable /media\nset volume.start 30\nset fade.length 4\n")
    storage.tracks["/media/stick"] = SimulatedTrack(seconds: 600, level: 0.5)
    let bench = try Bench(storage, hasCard: false)
    bench.machine.mounts.points = ["/media/stick"]
    _ = bench.ask("play /media/stick")
    _ = bench.ask("queue add long short")
    _ = bench.ask("volume 44")
    _ = bench.ask("sleep 60")
    _ = bench.ask("queue shuffle on")
    bench.machine.hasCard = true
    bench.clock.run(seconds: 8)
    #expect(bench.status("state") == "playing", "\(bench.machine.logged)")
    #expect(bench.status("volume") == "44", "it never jumps")
    #expect(bench.status("queue") == "3" && bench.status("shuffle") == "yes")
    #expect(bench.status("sleep-seconds") != nil)
    // The new player is notified of mounts and unmounts, too.
    bench.machine.mounts.points = []
    bench.clock.run(seconds: 1)
    #expect(bench.status("state") == "failed")
    bench.machine.mounts.points = ["/media/stick"]
    bench.clock.run(seconds: 5)
    #expect(bench.status("state") == "playing", "\(bench.machine.logged)")
    #expect(bench.box?.owners.outputs.player.machine.settings.automaticFadeLength.value == 4)
  }

  @Test func aPausedBoxStaysPausedOnAnotherOutput() throws {
    let bench = try Bench(hasCard: false)
    _ = bench.ask("play long")
    _ = bench.ask("pause")
    bench.machine.hasCard = true
    bench.clock.run(seconds: 8)
    #expect(bench.status("state") == "paused" && bench.machine.card?.heard == 0, "\(bench.ask("history"))")
    #expect(bench.status("output") == "a simulated card")
  }

  @Test func nobodyLooksForAnOutputAtTheEnd() throws {
    let bench = try Bench(hasCard: false)
    bench.clock.run(seconds: 1)
    bench.machine.terminate()
    #expect(bench.clock.run { bench.box?.outcome != nil })
    let before = bench.machine.logged.count
    bench.machine.hasCard = true
    bench.clock.run(seconds: 30)
    #expect(bench.machine.logged.count == before)
  }
}
