// Devices that are connected long after power-on: they are reported while they are missing and used once
// present. Test threads.

import Platform
import Testing

@testable import Daemon
@testable import Simulator

@Suite struct LateDeviceTests {
  /// A box whose devices have been missing for two hours.
  private func bench(_ lines: String) throws -> Bench {
    let bench = try Bench(Bench.storage(lines))
    _ = bench.ask("queue add /music/long")
    bench.clock.run(seconds: 7200)
    return bench
  }

  /// Checks that a missing device is logged once, and listed in `status` while it is missing.
  private func isSaidOnce(_ bench: Bench, _ subject: String) {
    #expect(bench.status("control-missing")?.contains(subject) == true, "\(bench.ask("status"))")
    #expect(bench.machine.logged.count { $0.contains(subject) } == 1, "\(bench.machine.logged)")
  }

  /// The maximum interval between two attempts, and some time for the effects.
  private func waitForALook(_ bench: Bench) {
    bench.clock.run(seconds: 62)
    #expect(bench.status("control-missing") == nil)
  }

  @Test func aKeyboardsKeysAreButtons() throws {
    let bench = try bench("button song key space\nbind song press toggle\n")
    isSaidOnce(bench, "song")
    let keyboard = SimulatedKeyboard(bench.clock, code: 57)
    bench.machine.devices.keyboards["/dev/input/event3"] = keyboard
    waitForALook(bench)
    keyboard.set(isDown: true)
    bench.clock.run(seconds: 1)
    #expect(bench.status("state") == "playing")
  }

  @Test func aPanelsButtonsAndKnobsWork() throws {
    let bench = try bench(
      "panel /dev/ttyACM0\nbutton song panel\nknob dial panel\nbind song press toggle\nbind dial right volume up\n"
    )
    isSaidOnce(bench, "/dev/ttyACM0")
    let panel = SimulatedReader(SimulatedSource(bench.clock))
    bench.machine.devices.panels["/dev/ttyACM0"] = panel
    waitForALook(bench)
    let volume = bench.status("volume").flatMap { Int($0) } ?? 100
    panel.say("down song\nup song\nturn dial +1\n")
    bench.clock.run(seconds: 1)
    #expect(bench.status("state") == "playing")
    #expect(bench.status("volume").flatMap { Int($0) }.map { $0 > volume } == true)
  }

  @Test func aLightShowsWhatTheBoxDoes() throws {
    let bench = try bench("led front sysfs act\n")
    isSaidOnce(bench, "front")
    _ = bench.ask("play")
    let light = SimulatedLight()
    bench.machine.devices.lights["act"] = light
    waitForALook(bench)
    #expect(light.brightness == "255", "it plays")
  }

  @Test func aSerialConsoleIsOne() throws {
    let bench = try bench("set console.tty /dev/ttyUSB0\n")
    #expect(bench.machine.logged.count { $0.contains("/dev/ttyUSB0") } == 1)
    bench.machine.hasSerialLine = true
    bench.clock.run(seconds: 62)
    let line = try #require(bench.machine.serialLine)
    line.type("play\r")
    bench.clock.run(seconds: 1)
    #expect(bench.status("state") == "playing")
  }

  @Test func aCardIsPlayed() throws {
    let bench = try Bench(hasCard: false)
    _ = bench.ask("play /music/long")
    let said = bench.machine.logged
    #expect(said.contains { $0.contains("there is no such device") })
    bench.clock.run(seconds: 7200)
    #expect(bench.machine.logged == said, "it is said once")
    #expect(bench.status("output-retry-seconds") != nil)
    bench.machine.hasCard = true
    bench.clock.run(seconds: 62)
    #expect(bench.status("state") == "playing")
    #expect(bench.machine.card.map { $0.heard > 1000 } == true)
  }
}
