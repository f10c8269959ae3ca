// Lights: rhythms and colors as values, and the writes to the devices. Test threads.

import Controls
import Foundation
import Platform
import PlaybackModel
import Testing

/// Running lights.
final class LightBench {
  let loop: EventLoop
  let devices: FakeDevices
  let lights: IndicatorLights
  private(set) var notes: [String] = []

  init(
    _ declarations: [LightDeclaration], _ devices: FakeDevices = FakeDevices(),
    real: (any ControlDevices)? = nil
  ) throws {
    loop = try EventLoop()
    self.devices = devices
    lights = IndicatorLights(declarations, devices: real ?? devices, scheduler: loop)
    lights.onNote = { [unowned self] in notes.append($0) }
  }

  deinit { lights.end() }

  func wait(for what: Comment, until isTrue: () -> Bool) {
    var isLate = false
    let guardian = loop.after(20_000_000_000) { isLate = true }
    while !isTrue(), !isLate { loop.turn(waits: true) }
    loop.remove(guardian)
    #expect(isTrue(), what)
  }

  func isIdle(milliseconds: UInt64) -> Bool {
    var isOver = false
    _ = loop.after(milliseconds * 1_000_000) { isOver = true }
    loop.turn(waits: true)
    return isOver
  }
}

private func sysfs(_ text: String, _ colour: LightDeclaration.Colour = .any) -> LightDeclaration {
  LightDeclaration(name(text), colour, .sysfs(text))
}

private func gpio(_ text: String, _ line: Int, _ colour: LightDeclaration.Colour = .any) -> LightDeclaration {
  LightDeclaration(
    name(text), colour, .gpio(GPIOLine(chip: "gpiochip0", offset: line, isActiveLow: false)))
}

@Suite struct LightTests {
  private static let patterns: [Indicator.Pattern] = [
    .off, .steady, .breathing, .slowBlink, .fastBlink, .rareBlink, .shortGaps, .flashes(1), .flashes(3),
    .flashes(100),
  ]

  @Test func rhythmsDifferAndAreBounded() {
    let all = Self.patterns.map { Indicator(.red, $0).steps }
    #expect(Set(all).count == Self.patterns.count)
    #expect(all.allSatisfy { $0.count <= 2 * Indicator.maxFlashes })
    #expect(Indicator(.none, .fastBlink).steps == [LightStep(false, milliseconds: nil)])
    #expect(Indicator(.red, .flashes(2)).steps.filter(\.isOn).count == 2)
    #expect(Indicator(.red, .flashes(2)).steps.last == LightStep(false, milliseconds: 1500))
  }

  /// Lights with different patterns have different rhythms, so an error can be told by its flashes.
  @Test func everyLightOfABoxHasItsOwnRhythm() {
    var names: [[LightStep]: Indicator.Pattern] = [:]
    for entry in IndicatorTable.meanings where entry.indicator.colour != .none {
      let pattern = entry.indicator.pattern
      let other = names.updateValue(pattern, forKey: entry.indicator.steps)
      #expect(other == nil || other == pattern, "\(entry.indicator.text)")
      guard case .flashes(let count) = pattern else { continue }
      #expect(entry.indicator.steps.filter(\.isOn).count == count, "\(entry.text)")
    }
  }

  @Test func everyColourLightsSomethingOnEveryBox() {
    let channels: [LightDeclaration.Colour] = [.red, .green, .blue]
    for bits in 1..<8 {
      let available = Set(channels.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element))
      for colour in Indicator.Colour.allCases {
        let lit = LightMix.lit(for: colour, among: available)
        #expect(lit.isSubset(of: available))
        #expect(lit.isEmpty == (colour == .none))
      }
    }
    #expect(LightMix.lit(for: .amber, among: [.red, .green]) == [.red, .green])
    #expect(LightMix.lit(for: .blue, among: [.red, .green]) == [.green])
  }

  @Test func aSteadyLightNeedsNobody() throws {
    let devices = FakeDevices()
    let (chip, led) = (FakeChip(), FakeLight())
    devices.chips["gpiochip0"] = chip
    devices.lights["act"] = led
    let bench = try LightBench([sysfs("act"), gpio("front", 3)], devices)
    bench.lights.show(Indicator(.green, .steady))
    #expect(led.brightness == 255)
    #expect(chip.requests[0].lit == [3])
    #expect(bench.isIdle(milliseconds: 600))
    bench.lights.show(Indicator(.none, .off))
    #expect(led.brightness == 0)
    #expect(chip.requests[0].lit.isEmpty)
  }

  @Test(arguments: [
    (Indicator.Pattern.slowBlink, "500", "500"), (.fastBlink, "100", "100"), (.shortGaps, "900", "100"),
    (.rareBlink, "500", "2000"),
  ])
  func theKernelBlinks(_ pattern: Indicator.Pattern, _ on: String, _ off: String) throws {
    let devices = FakeDevices()
    let led = FakeLight()
    devices.lights["act"] = led
    let bench = try LightBench([sysfs("act")], devices)
    bench.lights.show(Indicator(.green, pattern))
    #expect(led.trigger == "timer")
    #expect(led.files["delay_on"] == on && led.files["delay_off"] == off)
    #expect(bench.isIdle(milliseconds: 700))
  }

  @Test func theKernelFlashesAndBreathes() throws {
    let devices = FakeDevices()
    let led = FakeLight(maximum: 100)
    devices.lights["act"] = led
    let bench = try LightBench([sysfs("act")], devices)
    bench.lights.show(Indicator(.red, .flashes(1)))
    #expect(led.trigger == "timer" && led.files["delay_off"] == "1500")
    bench.lights.show(Indicator(.red, .flashes(2)))
    #expect(led.trigger == "pattern")
    #expect(led.files["pattern"] == "100 120 100 0 0 230 0 0 100 120 100 0 0 1500 0 0")
    bench.lights.show(Indicator(.red, .breathing))
    #expect(led.files["pattern"] == "0 2000 100 2000")
    #expect(bench.isIdle(milliseconds: 700))
    bench.lights.show(Indicator(.red, .steady))
    #expect(led.trigger == "none" && led.brightness == 100)
  }

  @Test func whatOnlySwitchesBreathesAsASlowBlink() throws {
    let devices = FakeDevices()
    let led = FakeLight(maximum: 1)
    devices.lights["act"] = led
    let bench = try LightBench([sysfs("act")], devices)
    bench.lights.show(Indicator(.red, .breathing))
    #expect(led.trigger == "timer" && led.files["delay_on"] == "2000")
  }

  @Test(arguments: [Indicator.Pattern.breathing, .slowBlink])
  func aBoxAtRestIsNotWokenForItsLight(_ pattern: Indicator.Pattern) throws {
    let devices = FakeDevices()
    let chip = FakeChip()
    devices.chips["gpiochip0"] = chip
    let bench = try LightBench([gpio("front", 3)], devices)
    bench.lights.show(Indicator(.green, .fastBlink))
    bench.lights.show(Indicator(.green, pattern))
    #expect(chip.requests[0].lit.isEmpty)
    #expect(bench.isIdle(milliseconds: 700))
    #expect(chip.requests[0].lit.isEmpty)
    bench.lights.show(Indicator(.green, .steady))
    #expect(chip.requests[0].lit == [3])
  }

  @Test func withoutTriggersATimerSteps() throws {
    let devices = FakeDevices()
    let (chip, led) = (FakeChip(), FakeLight(triggers: ["none"]))
    devices.chips["gpiochip0"] = chip
    devices.lights["act"] = led
    let bench = try LightBench([sysfs("act"), gpio("front", 3)], devices)
    bench.lights.show(Indicator(.red, .fastBlink))
    for isOn in [true, false, true, false] {
      bench.wait(for: "the next step") { (led.brightness > 0) == isOn }
      #expect(chip.requests[0].lit.isEmpty != isOn)
    }
    bench.lights.show(Indicator(.red, .steady))
    #expect(bench.isIdle(milliseconds: 400))
    #expect(led.brightness == 255)
  }

  @Test(arguments: [
    (Indicator.Colour.amber, [1, 2]), (.red, [1]), (.green, [2]), (.violet, [1, 3]), (.none, []),
  ])
  func threeColoursMix(_ colour: Indicator.Colour, _ lines: [Int]) throws {
    let devices = FakeDevices()
    let chip = FakeChip()
    devices.chips["gpiochip0"] = chip
    let bench = try LightBench([gpio("r", 1, .red), gpio("g", 2, .green), gpio("b", 3, .blue)], devices)
    bench.lights.show(Indicator(.cyan, .steady))
    bench.lights.show(Indicator(colour, .steady))
    #expect(chip.requests.flatMap(\.lit).sorted() == lines)
  }

  @Test func theOriginalTriggerComesBack() throws {
    let devices = FakeDevices()
    let led = FakeLight(trigger: "mmc0")
    devices.lights["act"] = led
    let bench = try LightBench([sysfs("act")], devices)
    #expect(led.trigger == "none")
    bench.lights.show(Indicator(.green, .slowBlink))
    bench.lights.end()
    #expect(led.trigger == "mmc0")
  }

  @Test func aLightThatIsMissingIsNotedAndReturns() throws {
    let devices = FakeDevices()
    let led = FakeLight()
    devices.lights["act"] = led
    let bench = try LightBench([sysfs("act")], devices)
    bench.lights.show(Indicator(.green, .steady))
    led.error = failure(ENODEV)
    bench.lights.show(Indicator(.red, .flashes(2)))
    #expect(bench.lights.problems.count == 1)
    bench.lights.show(Indicator(.red, .steady))
    led.error = nil
    bench.wait(for: "the light") { bench.lights.problems.isEmpty }
    #expect(led.brightness == 255)
    #expect(bench.notes.last == "light act is back.")
    #expect(bench.isIdle(milliseconds: 1200))
  }

  @Test func aBusyLineIsNamed() throws {
    let devices = FakeDevices()
    let chip = FakeChip()
    chip.users[3] = "led0"
    devices.chips["gpiochip0"] = chip
    let bench = try LightBench([gpio("front", 3)], devices)
    #expect(bench.lights.problems.first?.contains("in use by 'led0'") == true)
  }

  @Test func aTestWalksThroughAllAndGoesBack() throws {
    let devices = FakeDevices()
    let chip = FakeChip()
    devices.chips["gpiochip0"] = chip
    let bench = try LightBench([gpio("r", 1, .red), gpio("g", 2, .green)], devices)
    bench.lights.show(Indicator(.red, .steady))
    var seen: [[Int]] = []
    var names: [String] = []
    var isOver = false
    bench.lights.onTest = {
      names.append($0.text)
      seen.append(chip.requests.flatMap(\.lit))
    }
    bench.lights.test(milliseconds: 20) { isOver = true }
    bench.lights.show(Indicator(.green, .steady))
    bench.wait(for: "the end of the test") { isOver }
    #expect(seen == [[1], [2]] && names == ["r", "g"])
    #expect(chip.requests.flatMap(\.lit) == [2])
  }

  @Test(arguments: [(Indicator.Pattern.steady, false), (.off, true)])
  func aPressTurnsTheLightOver(_ pattern: Indicator.Pattern, _ isLit: Bool) throws {
    let devices = FakeDevices()
    let chip = FakeChip()
    devices.chips["gpiochip0"] = chip
    let bench = try LightBench([gpio("front", 3)], devices)
    bench.lights.show(Indicator(.green, pattern))
    bench.lights.flash()
    #expect(chip.requests[0].lit.isEmpty != isLit)
    bench.wait(for: "the old light") { chip.requests[0].lit.isEmpty == isLit }
  }

  @Test func realFilesAreWritten() throws {
    let root = NSTemporaryDirectory() + "swiftlet-leds-\(UUID().uuidString)"
    let folder = root + "/act"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: root) }
    func write(_ text: String, _ file: String) throws {
      try text.write(toFile: folder + "/" + file, atomically: true, encoding: .utf8)
    }
    func read(_ file: String) throws -> String {
      try String(contentsOfFile: folder + "/" + file, encoding: .utf8)
    }
    try write("255\n", "max_brightness")
    try write("0\n", "brightness")
    try write("none [mmc0] timer default-on\n", "trigger")
    for file in ["delay_on", "delay_off"] { try write("0\n", file) }
    let bench = try LightBench([sysfs("act")], real: LinuxDevices(lights: root))
    #expect(bench.lights.problems.isEmpty)
    bench.lights.show(Indicator(.green, .steady))
    #expect(try read("brightness") == "255")
    #expect(try read("trigger") == "none")
    bench.lights.show(Indicator(.green, .slowBlink))
    #expect(try read("trigger") == "timer")
    #expect(try read("delay_on") == "500" && read("delay_off") == "500")
    bench.lights.end()
    #expect(try read("trigger") == "mmc0")
    #expect(try read("brightness") == "0")
  }

  @Test func otherDeclarationsAreTakenOver() throws {
    let devices = FakeDevices()
    let (chip, led) = (FakeChip(), FakeLight(trigger: "mmc0"))
    devices.chips["gpiochip0"] = chip
    devices.lights["act"] = led
    let bench = try LightBench([sysfs("act"), gpio("front", 3)], devices)
    bench.lights.show(Indicator(.green, .steady))
    bench.lights.adopt([gpio("front", 3), gpio("back", 4)])
    #expect(led.trigger == "mmc0")
    #expect(chip.requests.map(\.lit) == [[3], [4]])
    #expect(bench.notes.isEmpty && bench.lights.problems.isEmpty)
  }

  @Test(arguments: patterns)
  func aPatternInTimeIsItsSteps(_ pattern: Indicator.Pattern) {
    let steps = Indicator(.green, pattern).steps
    var time: UInt64 = 0
    for step in steps + steps {
      #expect(LightRhythm.isLit(pattern, at: time) == step.isOn)
      time += UInt64(step.milliseconds ?? 1000) * 1_000_000
      #expect(LightRhythm.isLit(pattern, at: time - 1) == step.isOn)
    }
  }
}
