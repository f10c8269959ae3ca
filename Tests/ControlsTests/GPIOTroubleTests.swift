// GPIO chips that refuse, are in use, or come and go. Test threads.

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
    bench.settle()
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
    // Such a line is not retried.
    #expect(bench.isIdle(milliseconds: 700))
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

  /// The kernel drops the oldest edges first, so the last one of a burst always arrives.
  @Test(arguments: UInt64(1)...20)
  func whateverIsLostTheReportsAlternateAndEndRight(_ seed: UInt64) throws {
    var state = seed
    func random(_ bound: UInt64) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % Int(bound)
    }
    let bench = try InputBench(declarations, devices)
    for _ in 0..<500 {
      let line = 4 + random(2)
      chip.set(line, high: random(2) == 0, isLost: random(3) == 0)
      if random(4) == 0 { bench.settle() }
    }
    for line in [4, 5] { chip.set(line, high: line == 5) }
    bench.settle()
    #expect(bench.inputs.isDown(name("play")) && !bench.inputs.isDown(name("next")), "seed \(seed)")
    for button in [name("play"), name("next")] {
      let own = bench.changes.filter { $0 == .down(button) || $0 == .up(button) }
      #expect(!own.isEmpty)
      for (index, change) in own.enumerated() {
        #expect(change == (index % 2 == 0 ? .down(button) : .up(button)), "seed \(seed)")
      }
      #expect(own.last == (button == name("play") ? .down(button) : .up(button)), "seed \(seed)")
    }
    #expect(zip(bench.reports, bench.reports.dropFirst()).allSatisfy { $0.time <= $1.time })
  }
}
