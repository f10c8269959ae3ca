// Panels on serial lines: valid lines, noise, and panels that come and go. Test threads.

import Controls
import Foundation
import Platform
import Testing

@Suite struct PanelTests {
  private static var declarations: ControlDeclarations {
    var declarations = ControlDeclarations()
    declarations.buttons = [ButtonDeclaration(name("play"), .panel), ButtonDeclaration(name("next"), .panel)]
    declarations.knobs = [KnobDeclaration(name("volume"), .panel)]
    declarations.panels = [PanelDeclaration(path: "/dev/ttyFAKE", baud: 115_200)]
    return declarations
  }

  /// A bench with a panel.
  private static func bench() throws -> (InputBench, FakeDevices, FakePanel) {
    let devices = FakeDevices()
    let panel = FakePanel()
    devices.panels["/dev/ttyFAKE"] = panel
    return (try InputBench(declarations, devices), devices, panel)
  }

  @Test(arguments: [1, 2, 3, 7, 64])
  func piecesOfLinesAreLines(_ size: Int) {
    var reader = PanelReader()
    let bytes = Array("down play\r\nturn volume +3\nturn volume -1\n\nup play\nready\n".utf8)
    var reports: [PanelReport] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      reports += reader.take(Array(bytes[start..<min(start + size, bytes.count)]))
    }
    #expect(
      reports == [
        .button(name("play"), isDown: true), .turn(name("volume"), detents: 3),
        .turn(name("volume"), detents: -1), .button(name("play"), isDown: false), .ready,
      ])
    #expect(reader.badLines == 0)
  }

  @Test(arguments: [
    "down", "down play now", "press play", "turn volume", "turn volume 0", "turn volume 101",
    "turn volume +-1", "turn volume 99999999999999999999", "up 1st", "\u{0}down play", "DOWN play",
    String(repeating: "x", count: 65), "down play" + String(repeating: " ", count: 60),
  ])
  func aBadLineIsDropped(_ line: String) {
    var reader = PanelReader()
    #expect(reader.take(Array("ready\n".utf8)) == [.ready])
    #expect(reader.take(Array((line + "\nup play\n").utf8)) == [.button(name("play"), isDown: false)])
    #expect(reader.badLines == 1)
  }

  @Test func noiseNeitherReportsNorGrows() {
    var generator = SystemRandomNumberGenerator()
    var reader = PanelReader()
    for _ in 0..<2000 {
      let noise = (0..<100).map { _ in UInt8.random(in: 0...255, using: &generator) }
      #expect(reader.take(noise).isEmpty)
    }
    #expect(reader.take(Array("\ndown play\n".utf8)) == [.button(name("play"), isDown: true)])
  }

  @Test func whatItReportsIsReportedOnce() throws {
    let (bench, _, panel) = try Self.bench()
    panel.put("wn play\ndown play\ndown pl")
    panel.put("ay\nturn volume +2\nup next\nup play\n")
    bench.settle()
    #expect(
      bench.changes == [.down(name("play")), .turn(name("volume"), detents: 2), .up(name("play"))])
    #expect(bench.notes.isEmpty && bench.inputs.problems.isEmpty)
    #expect(bench.isIdle(milliseconds: 700))
  }

  @Test func noiseIsNotedOnce() throws {
    let (bench, _, panel) = try Self.bench()
    for _ in 0..<20 { panel.put("ready\nnoise\ndown unknown\n") }
    for _ in 0..<40 { bench.settle() }
    #expect(bench.changes.isEmpty)
    #expect(bench.notes.count == 1)
    #expect(bench.notes.first?.contains("/dev/ttyFAKE") == true)
  }

  @Test func aPanelThatGoesReleasesWhatItHeldAndReturns() throws {
    let (bench, devices, panel) = try Self.bench()
    panel.put("down play\n")
    panel.die()
    devices.panels = [:]
    bench.settle()
    #expect(bench.changes == [.down(name("play")), .up(name("play"))])
    #expect(bench.inputs.problems.count == 1)
    let second = FakePanel()
    devices.panels["/dev/ttyFAKE"] = second
    bench.wait(for: "the panel") { bench.inputs.problems.isEmpty }
    #expect(bench.notes.last == "panel /dev/ttyFAKE is back.")
    second.put("down next\n")
    bench.settle()
    #expect(bench.changes.last == .down(name("next")))
  }

  @Test func aMicrocontrollerThatStartsAgainHoldsNothing() throws {
    let (bench, _, panel) = try Self.bench()
    panel.put("down play\nready\n")
    bench.settle()
    #expect(bench.changes == [.down(name("play")), .up(name("play"))])
  }

  /// A jammed button must not shut down the box at each start.
  @Test func aButtonThatIsHeldAsTheMicrocontrollerStartsIsNotPressed() throws {
    let (bench, _, panel) = try Self.bench()
    panel.put("ready\ndown play\n")
    bench.settle()
    #expect(bench.changes == [] && bench.inputs.isDown(name("play")))
    panel.put("up play\ndown play\nup play\ndown next\n")
    bench.settle()
    #expect(bench.changes == [.down(name("play")), .up(name("play"))], "next was held, too")
    panel.put("up next\ndown next\n")
    bench.settle()
    #expect(bench.changes.last == .down(name("next")))
  }

  @Test func aRealTerminalLineWorksAndItsEndIsNoticed() throws {
    var (master, slave) = (Int32(-1), Int32(-1))
    var path = [CChar](repeating: 0, count: 128)
    #expect(openpty(&master, &slave, &path, nil, nil) == 0)
    var declarations = Self.declarations
    let tty = path.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    declarations.panels = [PanelDeclaration(path: tty, baud: 115_200)]
    let bench = try InputBench(declarations, real: LinuxDevices())
    var mode = termios()
    #expect(tcgetattr(slave, &mode) == 0)
    // Eight bits, no parity, one stop bit, no echo, not canonical.
    #expect(mode.c_cflag & tcflag_t(CSIZE) == tcflag_t(CS8) && mode.c_cflag & tcflag_t(PARENB | CSTOPB) == 0)
    #expect(mode.c_lflag & tcflag_t(ICANON | ECHO) == 0 && cfgetispeed(&mode) == speed_t(B115200))
    close(slave)
    #expect(bench.inputs.problems.isEmpty)
    let line = "down play\n"
    #expect(write(master, line, line.utf8.count) == line.utf8.count)
    bench.wait(for: "the press") { !bench.changes.isEmpty }
    close(master)
    bench.wait(for: "the end of the line") { !bench.inputs.problems.isEmpty }
    #expect(bench.changes == [.down(name("play")), .up(name("play"))])
  }
}
