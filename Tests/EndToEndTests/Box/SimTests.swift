// `swiftlet sim`: a box in a terminal whose keys are buttons, here in a pseudo-terminal. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing
import VirtualCardSupport

@Suite(.realTime) struct SimTests {
  @Test func keysAreButtonsAndTheRestIsTheConsoles() throws {
    let bench = try Workbench()
    let card = try VirtualCard()
    try bench.write(Coded.track(1, seconds: 40), as: "1.wav")
    let desk = try Pty(at: bench.path("terminal"))
    let state = bench.path("state")
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    let sim = try bench.start(
      ["sim", "--device", card.deviceName, "--media", bench.directory.path, "--state", state],
      environment: card.environment, terminal: bench.path("terminal"))
    #expect(desk.shows("swiftlet> "))
    desk.type("play 1.wav")
    #expect(desk.shows("1 track"))
    #expect(desk.shows("Playing"))
    // The display has the track, the volume and the functions of the buttons.
    #expect(desk.shows("1.wav · 0:0"))
    #expect(desk.shows("volume "))
    #expect(desk.shows("next hold: seek +10"))
    // F1, as xterm sends it.
    desk.send(Array("\u{1B}OP".utf8))
    #expect(desk.shows("Paused"))
    desk.send(Array("\u{1B}OP".utf8))
    #expect(desk.shows("Playing"))
    // F4 with Shift holds the button: a long press of 'mode' sets the sleep timer.
    desk.send(Array("\u{1B}[1;2S".utf8))
    let box = try #require(ControlClient(state + "/control"))
    #expect(bench.waits { (try? box.ask("sleep"))?.last?.contains("stops in") ?? false })
    desk.send(Array("\u{1B}OS".utf8))
    // For terminals that intercept F1, Alt with a digit works, too.
    desk.send(Array("\u{1B}1".utf8))
    #expect(desk.shows("Paused"))
    desk.send(Array("\u{1B}1".utf8))
    #expect(desk.shows("Playing"))
    kill(sim.identifier, SIGINT)
    #expect(sim.wait(seconds: 20).status == 0)
    // The commands were played, and the box has ended with its terminal.
    #expect(card.recordedFrames > 0)
    #expect(ControlClient(state + "/control") == nil)
  }

  @Test func itPlaysAtOnceAndSaysHowItEnded() throws {
    let bench = try Workbench()
    try bench.write(Sound.piece(seconds: 30), as: "1.wav")
    let desk = try Pty(at: bench.path("terminal"))
    let sim = try bench.start(
      ["sim", "--device", "null", "--media", bench.directory.path, "--play"], terminal: bench.path("terminal")
    )
    #expect(desk.shows("Playing"))
    desk.type("shutdown")
    let outcome = sim.wait(seconds: 20)
    #expect(outcome.status == 0 && outcome.errors.contains("the box was shut down"), "\(outcome)")
  }

  @Test func withoutATerminalItSaysWhatToDo() throws {
    let bench = try Workbench()
    let outcome = try bench.start(["sim"]).wait(seconds: 20)
    #expect(outcome.status == 64 && outcome.errors.contains("swiftlet ctl simulate"))
  }
}
