// Buttons and knobs on GPIO lines. Test threads.

import Controls
import Foundation
import Platform
import Testing

@Suite struct GPIOInputTests {
  private func box(_ declare: (inout ControlDeclarations) -> Void) -> (
    ControlDeclarations, FakeDevices, FakeChip
  ) {
    var declarations = ControlDeclarations()
    declare(&declarations)
    let (devices, chip) = (FakeDevices(), FakeChip())
    devices.chips["gpiochip0"] = chip
    for line in 0..<32 { chip.set(line, high: true) }
    return (declarations, devices, chip)
  }

  @Test func allLinesOfAChipAreOneRequest() throws {
    let (declarations, devices, chip) = box {
      $0.button("play", line: 4)
      $0.button("next", line: 5, activeLow: false, bias: .pullDown)
      $0.timings[name("next")] = {
        var timing = GestureTiming(); timing.debounce = 5; return timing
      }()
      $0.knob("volume", a: 6, b: 7)
    }
    let bench = try InputBench(declarations, devices)
    #expect(bench.inputs.problems.isEmpty && bench.notes.isEmpty)
    #expect(chip.tries == 1)
    let asked = try #require(chip.granted.first)
    #expect(asked.lines.map(\.offset) == [6, 7, 4, 5])
    #expect(asked.lines.map(\.debounce) == [0, 0, 20_000, 5000])
    #expect(asked.lines[0].flags == [.input, .activeLow, .pullUp])
    #expect(asked.lines[3].flags == [.input, .pullDown])
  }

  @Test func edgesAreReportedWithTheirTimes() throws {
    let (declarations, devices, chip) = box { $0.button("play", line: 4) }
    let bench = try InputBench(declarations, devices)
    let time = MonotonicClock.now()
    chip.set(4, high: false, at: time)
    chip.set(4, high: true, at: time + 1)
    bench.settle()
    #expect(
      bench.reports == [
        TimedInput(.down(name("play")), at: time), TimedInput(.up(name("play")), at: time + 1),
      ])
  }

  @Test func aCompleteBoxWakesNobody() throws {
    let (declarations, devices, _) = box { $0.button("play", line: 4) }
    let bench = try InputBench(declarations, devices)
    #expect(bench.isIdle(milliseconds: 700))
    #expect(devices.watcher.kinds.isEmpty)
  }

  @Test(arguments: [EINVAL, EOPNOTSUPP, 524])
  func whereTheKernelDoesNotDebounceWeDo(_ code: Int32) throws {
    let (declarations, devices, chip) = box { $0.button("play", line: 4) }
    chip.refusesDebounce = code
    let bench = try InputBench(declarations, devices)
    let time = MonotonicClock.now()
    for bounce in 0..<5 {
      chip.set(4, high: false, at: time + UInt64(bounce) * 1_000_000)
      chip.set(4, high: bounce < 4, at: time + UInt64(bounce) * 1_000_000 + 500_000)
    }
    bench.settle()
    #expect(bench.inputs.problems.isEmpty)
    bench.wait(for: "one press after the bounce") { !bench.reports.isEmpty }
    #expect(bench.changes == [.down(name("play"))])
    #expect(bench.reports[0].time >= time + 20_000_000)
    #expect(bench.isIdle(milliseconds: 100))
  }

  @Test func whatIsHeldAtPowerOnIsKnownWithoutAPress() throws {
    let (declarations, devices, chip) = box { $0.button("play", line: 4) }
    chip.set(4, high: false)
    let bench = try InputBench(declarations, devices)
    #expect(bench.inputs.isDown(name("play")))
    chip.set(4, high: true)
    bench.settle()
    #expect(!bench.inputs.isDown(name("play")))
    #expect(bench.changes.isEmpty)
    chip.set(4, high: false)
    bench.settle()
    #expect(bench.changes == [.down(name("play"))])
  }

  @Test func lostEdgesAreRepairedFromTheLevels() throws {
    let (declarations, devices, chip) = box {
      $0.button("play", line: 4)
      $0.button("next", line: 5)
    }
    let bench = try InputBench(declarations, devices)
    chip.set(4, high: false)
    bench.settle()
    chip.set(4, high: true, isLost: true)
    bench.settle()
    #expect(bench.inputs.isDown(name("play")))
    chip.set(5, high: false)
    bench.settle()
    #expect(bench.changes == [.down(name("play")), .down(name("next")), .up(name("play"))])
    #expect(bench.notes == ["gpiochip0 has lost edges; the levels were read again and count."])
  }

  @Test func aKnobIsDecodedAndSurvivesLostEdges() throws {
    let (declarations, devices, chip) = box { $0.knob("volume", a: 6, b: 7) }
    let bench = try InputBench(declarations, devices)
    let volume = name("volume")
    let start = MonotonicClock.now() - 1_000_000_000
    for (index, isRight) in [true, true, false].enumerated() {
      chip.turn(a: 6, b: 7, right: isRight, before: start + UInt64(index) * 100_000_000)
    }
    bench.wait(for: "three detents") { bench.reports.count == 3 }
    #expect(
      bench.changes == [.turn(volume, detents: 1), .turn(volume, detents: 1), .turn(volume, detents: -1)])
    chip.turn(a: 6, b: 7, right: true, losing: [1, 2])
    bench.settle()
    chip.turn(a: 6, b: 7, right: true)
    bench.wait(for: "the detent after the lost edges") { bench.reports.count >= 4 }
    #expect(bench.isIdle(milliseconds: 50))
    #expect(bench.changes.dropFirst(3).allSatisfy { $0 == .turn(volume, detents: 1) })
    #expect((4...5).contains(bench.changes.count))
  }

  @Test func aKnobThatBouncesTurnsOnce() throws {
    let (declarations, devices, chip) = box { $0.knob("volume", a: 6, b: 7) }
    let bench = try InputBench(declarations, devices)
    var time = MonotonicClock.now() - 1_000_000_000
    for (line, isHigh) in [(6, false), (7, false), (6, true), (7, true)] {
      for bounce in 0..<9 {
        chip.set(line, high: bounce % 2 == 0 ? isHigh : !isHigh, at: time)
        time += 150_000
      }
      time += 4_000_000
    }
    bench.wait(for: "the detent") { !bench.reports.isEmpty }
    #expect(bench.isIdle(milliseconds: 50))
    #expect(bench.changes == [.turn(name("volume"), detents: 1)])
  }

  @Test func edgesThatAreTooFastToTellAreNoTrouble() throws {
    let (declarations, devices, chip) = box {
      $0.button("play", line: 4)
      $0.button("next", line: 5)
    }
    let bench = try InputBench(declarations, devices)
    chip.set(4, high: false, isLost: true)
    chip.set(4, high: true, isLost: true)
    chip.set(5, high: false)
    bench.settle()
    #expect(bench.changes == [.down(name("next"))])
    #expect(bench.notes.isEmpty)
  }

  @Test func edgesAreTakenInTheOrderInWhichTheyHappened() throws {
    let (declarations, devices, chip) = box { $0.knob("volume", a: 6, b: 7) }
    chip.mixesUp = true
    let bench = try InputBench(declarations, devices)
    for count in 1...3 {
      chip.turn(a: 6, b: 7, right: true)
      bench.wait(for: "the detent") { bench.reports.count == count }
    }
    #expect(bench.changes == Array(repeating: .turn(name("volume"), detents: 1), count: 3))
    #expect(bench.notes.isEmpty)
  }
}
