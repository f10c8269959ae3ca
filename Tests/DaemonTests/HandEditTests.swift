// `save` after the user has edited the configuration file while the box runs. Test threads.

import Foundation
import Testing

@testable import Daemon
@testable import Simulator

@Suite struct HandEditTests {
  private func text(_ bench: Bench) -> String {
    String(decoding: bench.machine.storage.files["/etc/box.conf"] ?? [], as: UTF8.self)
  }

  private func edit(_ bench: Bench, _ lines: String) {
    bench.machine.storage.write("/etc/box.conf", text(bench) + lines)
  }

  @Test func savingKeepsLinesThatWereAddedByHand() throws {
    let bench = try Bench()
    edit(
      bench,
      "set volume.step 7\nset fade.curve linear\nbind play long \"sleep 20\"\n# comment\nqueue add w3.wav\n")
    _ = bench.ask("set fade.length 3")
    let answer = bench.ask("save")
    #expect(
      answer.hasPrefix(
        "ok written to /etc/box.conf; changed by hand there, kept, and in effect at the next start: "),
      "\(answer)")
    #expect(
      ["volume.step", "fade.curve", "controls"].allSatisfy { answer.contains($0) }, "\(answer)")
    for line in [
      "set volume.step 7", "set fade.curve linear", "bind play long \"sleep 20\"", "# comment",
      "queue add w3.wav", "set fade.length 3",
    ] { #expect(text(bench).contains(line + "\n"), "\(text(bench))") }
    // They are kept by a second save. What is then changed on the box as well is an error.
    _ = bench.ask("set fade.length 4")
    #expect(bench.ask("save").hasPrefix("ok written"))
    #expect(text(bench).contains("set volume.step 7\n") && text(bench).contains("set fade.length 4\n"))
    _ = bench.ask("set volume.step 9")
    #expect(bench.ask("save").contains("volume.step was changed there and here"))
    #expect(text(bench).contains("set volume.step 7\n") && !text(bench).contains("set volume.step 9"))
    _ = bench.ask("set volume.step 7")
    _ = bench.ask("button bell gpio gpiochip0 9")
    #expect(bench.ask("save").contains("controls were changed there and here"))
    #expect(text(bench).contains("bind play long \"sleep 20\"\n"))
  }

  @Test func whatChangedOnBothSidesIsNotWritten() throws {
    let bench = try Bench()
    edit(bench, "set fade.length 9\n")
    let before = text(bench)
    _ = bench.ask("set fade.length 3")
    let answer = bench.ask("save")
    #expect(
      answer.hasPrefix("error: /etc/box.conf was changed by hand") && answer.contains("fade.length"),
      "\(answer)")
    #expect(text(bench) == before)
    _ = bench.ask("set fade.length 9")
    #expect(bench.ask("save").hasPrefix("ok written"))
  }

  /// A save that is given while another one waits for its storage.
  @Test func overlappingSavesAreNoHandEdits() throws {
    let bench = try Bench()
    bench.machine.storage.configurationHangs = true
    let first = bench.machine.listener.connect()
    for line in ["set fade.length 3", "save"] { first.type(line) }
    bench.clock.run(seconds: 0.1)
    let second = bench.machine.listener.connect()
    for line in ["unset fade.length", "save"] { second.type(line) }
    bench.clock.run(seconds: 0.1)
    bench.machine.storage.configurationHangs = false
    bench.clock.run(seconds: 2)
    let answers = [first.takeText(), second.takeText()]
    #expect(answers.allSatisfy { $0.contains("ok written to /etc/box.conf\n") }, "\(answers)")
    #expect(!text(bench).contains("fade.length"))
  }

  /// A deleted file is written anew with everything.
  @Test func aDeletedFileIsWrittenAnew() throws {
    let bench = try Bench()
    bench.machine.storage.remove("/etc/box.conf")
    #expect(bench.ask("save").hasPrefix("ok written to /etc/box.conf\n"))
    #expect(text(bench).contains("set media.root /music\n"))
  }
}
