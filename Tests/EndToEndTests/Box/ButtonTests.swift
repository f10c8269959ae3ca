// Buttons and knobs of a real daemon on a serial panel whose other end is the test: each press takes effect
// in the recording. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing
import VirtualCardSupport

@Suite(.realTime) struct BoxButtonTests {
  static let rate = 44100

  /// A box that plays, with a panel, two buttons and a knob.
  private func playing(_ lines: [String], seconds: Double = 60) throws -> (BoxRig, Pty) {
    let bench = try Workbench()
    let panel = try Pty(at: bench.path("panel"))
    let given = [
      "panel \(bench.path("panel"))", "button play panel", "button next panel", "knob volume panel",
    ]
    let box = try BoxRig(given + lines, bench: bench)
    try box.tracks(1...2, seconds: seconds)
    try box.tell("queue add 1.wav 2.wav")
    try box.tell("play")
    try box.hears { $0.count == 1 }
    return (box, panel)
  }

  private func report(_ panel: Pty, _ lines: String...) {
    for line in lines { panel.send(Array((line + "\n").utf8)) }
  }

  private func tap(_ panel: Pty, _ button: String) { report(panel, "down \(button)", "up \(button)") }

  @Test func aPressPausesAndPlaysOn() throws {
    let (box, panel) = try playing(["bind play press toggle", "bind next short next"])
    tap(panel, "play")
    try box.reaches("paused")
    try box.fallsSilent()
    #expect(box.card.segments.count == 1)
    tap(panel, "play")
    try box.reaches("playing")
    try box.hears { $0.last.map { $0.positions.count > Self.rate / 2 } ?? false }
    tap(panel, "next")
    try box.hears { $0.last?.track == 2 }
    // No frame was lost: the first track plays in one piece up to the skip.
    #expect(box.card.segments.filter { $0.track == 1 }.first?.positions.lowerBound == 0)
    #expect(try box.fields("stats")["xruns"] == "0")
  }

  @Test func longChordAndKnobDoWhatTheyAreBoundTo() throws {
    let (box, panel) = try playing([
      "timing all long 200", "timing all chord 400",
      "bind play long \"sleep 30\"", "bind play+next long stop", "bind volume left \"volume -10\"",
      "bind volume right \"volume +10\"", "bind volume+next left \"seek 20\"",
    ])
    report(panel, "down next", "turn volume -1", "up next")
    try box.hears { $0.last.map { $0.positions.lowerBound > 19 * Self.rate } ?? false }
    #expect(try box.fields()["volume"] == "100")
    // Below 100 % volume the code of a coded track cannot be read.
    report(panel, "turn volume -1")
    #expect(box.bench.waits { (try? box.fields()["volume"]) == "90" })
    report(panel, "down play")
    #expect(box.bench.waits { (try? box.fields()["sleep-seconds"]) != nil })
    report(panel, "up play")
    try box.reaches("playing")
    report(panel, "down next", "down play")
    try box.reaches("finished")
    report(panel, "up next", "up play")
  }

  @Test func theStateDecides() throws {
    let (box, panel) = try playing(["bind play press toggle", "bind play press when paused \"seek 30\""])
    tap(panel, "play")
    try box.reaches("paused")
    tap(panel, "play")
    #expect(box.bench.waits { (try? box.fields()["position"])?.hasPrefix("30.0") ?? false })
    try box.reaches("paused")
  }

  @Test func noiseOnThePanelCostsNotAFrame() throws {
    let (box, panel) = try playing(["bind play press toggle"])
    var random = Noise(seed: 5)
    panel.send([UInt8](repeating: 0x78, count: 20_000))
    for _ in 0..<2000 {
      // No valid line contains bytes with the highest bit set.
      var line = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
        UInt8.random(in: 0x80...0xFF, using: &random)
      }
      line.append(0x0A)
      panel.send(line)
    }
    report(
      panel, "", "down nobody", "down", "turn volume", "turn volume +", "turn volume 9999999999", "up play")
    let so = box.card.recordedFrames
    #expect(box.card.wait(seconds: 20) { $0.recordedFrames > so + 20_000 })
    #expect(box.card.segments.count == 1 && box.card.segments[0].positions.lowerBound == 0)
    tap(panel, "play")
    try box.reaches("paused")
  }

  /// Maximum time in milliseconds from a press to its event, while ten sessions paste lines faster than the
  /// box runs them.
  @Test func aPressIsAnsweredAmongTenSessionsThatPaste() throws {
    let (box, panel) = try playing(["bind play press toggle"])
    let pasting = try (0..<10).map { _ in try box.session() }
    for session in pasting {
      _ = fcntl(session.descriptor, F_SETFL, fcntl(session.descriptor, F_GETFL) | O_NONBLOCK)
    }
    let watcher = try box.session()
    #expect(try watcher.ask("watch state") == ["ok"])
    let lines = Array(String(repeating: "help\nshow\nstatus\nqueue\n", count: 200).utf8)
    var longest = 0.0
    for press in 0..<10 {
      for session in pasting { session.send(lines) }
      let begin = DispatchTime.now().uptimeNanoseconds
      report(panel, "down play", "up play")
      let wanted = press % 2 == 0 ? "Paused" : "Playing"
      var line: String?
      repeat { line = watcher.line(seconds: 5) } while line?.contains(wanted) == false
      #expect(line != nil, "press \(press) was not answered")
      longest = max(longest, Double(DispatchTime.now().uptimeNanoseconds - begin) / 1e6)
    }
    #expect(longest < 20, "a press was answered after \(longest) ms")
  }

  @Test func thePanelMayVanishAndReturn() throws {
    let (box, panel) = try playing(["bind play press toggle", "bind play long stop"])
    // A button that was down when the panel was unplugged counts as released.
    report(panel, "down next")
    panel.unplug()
    #expect(box.bench.waits { (try? box.fields()["control-missing"]) != nil })
    try panel.plugIn(at: box.bench.path("panel"))
    #expect(box.bench.waits { (try? box.fields()["control-missing"]) == nil })
    tap(panel, "play")
    try box.reaches("paused")
  }

  @Test func aBindingOfTheConsoleWorksAtOnceAndIsKept() throws {
    let (box, panel) = try playing([])
    tap(panel, "play")
    try box.tell("bind play press pause")
    tap(panel, "play")
    try box.reaches("paused")
    try box.tell("save")
    let saved = try String(contentsOfFile: box.configuration, encoding: .utf8)
    #expect(saved.contains("bind play press pause\n"))
    box.pullPlug()
    try box.restart()
    #expect(try box.tell("controls").contains { $0.contains("bind play press pause") })
    try box.tell("play")
    try box.reaches("playing")
    try box.tell("simulate down play")
    try box.reaches("paused")
  }

  @Test func aTestTellsWhatIsPressedAndDoesNothing() throws {
    let (box, panel) = try playing(["bind play press toggle"])
    try box.tell("test buttons")
    tap(panel, "play")
    #expect(box.logs("test:", "play press"))
    #expect(try box.fields()["state"] == "playing")
    #expect(try box.refusal(of: "test leds").contains("no lights"))
  }

  @Test func anIdlePausedBoxWithAPanelDoesNotWake() throws {
    let (box, panel) = try playing(["bind play press toggle", "bind play double stop"])
    tap(panel, "play")
    try box.reaches("paused")
    try box.fallsSilent()
    // The card is closed after a second; later wakeups come from the status requests only.
    var before = -1
    let isStill = box.bench.waits {
      usleep(2_000_000)
      let now = (try? box.fields("stats")["wake-ups"]).flatMap { Int($0) } ?? 0
      defer { before = now }
      return now - before <= 3
    }
    #expect(isStill)
  }
}
