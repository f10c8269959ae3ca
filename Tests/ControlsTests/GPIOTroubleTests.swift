// Chips that refuse, that somebody else has, and that come and go.

import Controls
import Foundation
import Platform
import Testing

@Suite struct GPIOTroubleTests {
  private let devices = FakeDevices()
  private let chip = FakeChip()
  private let declarations: ControlDeclarations

  init() {
    var declarations = ControlDeclarations()
    declarations.button("play", line: 4)
    declarations.button("next", line: 5)
    self.declarations = declarations
    for line in 0..<32 { chip.set(line, high: true) }
    devices.chips["gpiochip0"] = chip
  }

  @Test func aBusyLineIsNamedAndTheOthersWork() throws {
    chip.users[4] = "spi0 CS0"
    let bench = try InputBench(declarations, devices)
    #expect(
      bench.inputs.problems == ["button play: line 4 of gpiochip0 is in use by 'spi0 CS0'; trying again"])
    #expect(bench.notes.count == 1)
    chip.set(5, high: false)
    bench.settle()
    #expect(bench.changes == [.down(name("next"))])
    chip.users = [:]
    bench.wait(for: "the line that is free again") { bench.inputs.problems.isEmpty }
    #expect(bench.notes.last == "button play is back.")
    chip.set(4, high: false)
    bench.settle()
    #expect(bench.changes.last == .down(name("play")))
  }

  @Test func missingResistorsAreTold() throws {
    chip.refusesBias = EINVAL
    let bench = try InputBench(declarations, devices)
    #expect(bench.inputs.problems.isEmpty)
    #expect(bench.notes == ["gpiochip0 cannot pull its lines; they need resistors of their own."])
    #expect(chip.granted.last?.lines.map(\.debounce) == [20_000, 20_000])
  }

  @Test func aChipThatRefusesEverythingIsNotFatal() throws {
    chip.refusesEverything = EPERM
    let bench = try InputBench(declarations, devices)
    #expect(bench.inputs.problems.count == 2)
    #expect(bench.inputs.problems[0].contains("gpiochip0 refuses its line"))
  }

  @Test func aLineThatTheChipDoesNotHaveIsTold() throws {
    chip.lineCount = 5
    let bench = try InputBench(declarations, devices)
    #expect(bench.inputs.problems == ["button next: gpiochip0 has no line 5, its last is 4"])
    #expect(chip.granted.last?.lines.map(\.offset) == [4])
  }

  @Test func aChipThatComesLaterIsFoundAtOnce() throws {
    devices.chips = [:]
    let bench = try InputBench(declarations, devices)
    #expect(bench.inputs.problems.count == 2)
    #expect(devices.watcher.kinds == .chipsAndLines)
    devices.chips["gpiochip0"] = chip
    devices.watcher.bell.rings = true
    bench.wait(for: "the chip") { bench.inputs.problems.isEmpty }
    #expect(devices.watcher.kinds.isEmpty)
    #expect(bench.notes.suffix(2) == ["button play is back.", "button next is back."])
  }

  @Test func withoutAWatchTheTimerFindsIt() throws {
    devices.chips = [:]
    devices.canWatch = false
    let bench = try InputBench(declarations, devices)
    devices.chips["gpiochip0"] = chip
    bench.wait(for: "the chip") { bench.inputs.problems.isEmpty }
  }

  @Test func aChipThatGoesReleasesItsButtonsAndReturns() throws {
    let bench = try InputBench(declarations, devices)
    chip.set(4, high: false)
    bench.settle()
    devices.chips = [:]
    chip.die()
    bench.settle()
    #expect(bench.changes == [.down(name("play")), .up(name("play"))])
    #expect(!bench.inputs.isDown(name("play")))
    #expect(bench.inputs.problems.count == 2)
    devices.chips["gpiochip0"] = chip
    bench.wait(for: "the chip") { bench.inputs.problems.isEmpty }
    #expect(bench.inputs.isDown(name("play")))
    chip.set(4, high: true)
    chip.set(4, high: false)
    bench.settle()
    #expect(bench.changes == [.down(name("play")), .up(name("play")), .down(name("play"))])
  }

  @Test func linesThatDifferTooMuchAreSeveralRequests() throws {
    var declarations = ControlDeclarations()
    for line in 0..<20 {
      declarations.button("b\(line)", line: line)
      var timing = GestureTiming()
      timing.debounce = 10 + line
      declarations.timings[name("b\(line)")] = timing
    }
    let bench = try InputBench(declarations, devices)
    #expect(bench.inputs.problems.isEmpty)
    #expect(chip.granted.map(\.lines.count) == [10, 10])
    chip.set(19, high: false)
    bench.settle()
    #expect(bench.changes == [.down(name("b19"))])
  }
}
