// Devices that are connected and disconnected: cards, sticks, consoles, storage that hangs, buttons held at
// power-on, shutdown. Test threads.

import Daemon
import Platform
import PlaybackModel
import Testing

@testable import Simulator

@Suite struct ConnectionTests {
  @Test func anOutputThatIsMissingIsLookedForAndUsed() throws {
    let bench = try Bench(hasCard: false)
    _ = bench.ask("play long")
    bench.clock.run(seconds: 60)
    #expect(bench.status("output")?.contains("trying again in") == true)
    bench.machine.hasCard = true
    bench.clock.run(seconds: 8)
    #expect(bench.status("state") == "playing", "\(bench.machine.logged)")
    #expect(bench.machine.card.map { $0.heard > 1000 } == true)
  }

  @Test func aSessionMayEndInTheMiddleOfItsCommands() throws {
    let bench = try Bench()
    bench.wire.type("volume 40\nexit\nvolume 90")
    bench.clock.run(seconds: 1)
    #expect(bench.wire.takeText().hasSuffix("bye\n"))
    let other = bench.machine.listener.connect()
    other.type("play long")
    // The command is waiting for its response.
    other.hangUp()
    bench.clock.run(seconds: 2)
    let third = bench.machine.listener.connect()
    third.type("status")
    bench.clock.run(seconds: 1)
    let status = third.takeText()
    #expect(status.contains("volume:         40") && status.contains("playing"), "\(status)")
  }

  @Test func aSerialConsoleThatVanishesIsLookedForAndUsed() throws {
    let bench = try Bench(Bench.storage("set console.tty /dev/ttyS0\n"))
    bench.machine.hasSerialLine = true
    bench.clock.run(seconds: 1)
    for round in 1...3 {
      let line = try #require(bench.machine.serialLine)
      line.type("volume \(round)\r")
      bench.clock.run(seconds: 1)
      #expect(line.takeText().contains("\(round) %"))
      line.hangUp()
      bench.machine.hasSerialLine = false
      bench.clock.run(seconds: 60)
      bench.machine.hasSerialLine = true
      bench.clock.run(seconds: 9)
      #expect(bench.machine.serialLine !== line)
    }
  }

  @Test func aStickThatIsTakenOutAndPutBackGoesOn() throws {
    let storage = Bench.storage("set media.removable /media\nset media.removable-action play\n")
    storage.tracks["/media/stick"] = SimulatedTrack(seconds: 600, level: 0.5)
    let bench = try Bench(storage)
    bench.machine.mounts.points = ["/media/stick"]
    bench.clock.run(seconds: 10)
    #expect(bench.status("state") == "playing", "\(bench.machine.logged)")
    bench.machine.mounts.points = []
    bench.clock.run(seconds: 1)
    #expect(bench.machine.logged.contains("/media/stick was removed."))
    bench.machine.mounts.points = ["/media/stick"]
    bench.clock.run(seconds: 5)
    #expect(bench.status("state") == "playing", "\(bench.machine.logged)")
  }

  @Test func itEndsOnASignal() throws {
    let bench = try Bench()
    _ = bench.ask("play long")
    bench.clock.run(seconds: 30)
    let begin = bench.clock.now
    bench.machine.terminate()
    #expect(bench.clock.run { bench.box?.outcome != nil })
    #expect(bench.clock.now - begin < 1_000_000_000)
    #expect(bench.machine.logged.last == "Ended.")
  }

  @Test func storageThatHangsDoesNotKeepItFromEnding() throws {
    let bench = try Bench()
    _ = bench.ask("play long")
    bench.machine.storage.hangs = true
    bench.machine.terminate()
    #expect(bench.clock.run { bench.box?.outcome != nil })
    #expect(bench.machine.logged.contains("The last checkpoint could not be written in time."))
  }

  @Test func storageThatHangsIsNotWaitedForLongerThanHalfAMinute() throws {
    let bench = try Bench()
    bench.machine.storage.hangs = true
    #expect(!bench.ask("play long").contains("error"))
    bench.clock.run(seconds: 31)
    #expect(bench.wire.takeText().contains("the storage /music does not answer"))
  }

  @Test func aButtonHeldAtPowerOnBringsTheDefaults() throws {
    let bench = try Bench(pressed: [0])
    bench.clock.run(seconds: 1)
    #expect(!bench.machine.logged.contains { $0.hasPrefix("Ready.") })
    bench.clock.run(seconds: 1.5)
    #expect(bench.machine.logged.contains { $0.hasPrefix("Ready.") })
    #expect(bench.status("safe-start") == "yes", "\(bench.ask("status"))")
  }

  @Test func aButtonThatComesUpAtPowerOnMeansNothing() throws {
    let bench = try Bench(pressed: [0])
    bench.clock.run(seconds: 1)
    bench.machine.devices.chip.set(0, isPressed: false)
    bench.clock.run(seconds: 0.1)
    #expect(bench.machine.logged.contains { $0.hasPrefix("Ready.") })
    #expect(bench.status("safe-start") == nil)
  }
}
