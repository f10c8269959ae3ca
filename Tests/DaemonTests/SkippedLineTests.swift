// Skipped configuration lines: status, light and cue report them until the file is corrected. Test threads.

import Console
import Foundation
import Testing

@testable import Daemon

@Suite struct SkippedLineTests {
  private static let wrong = "set volum.maximum 40\n"

  @Test func statusNamesTheLines() throws {
    let bench = try Bench(Bench.storage(Self.wrong))
    #expect(
      bench.status("configuration")
        == "1 line is skipped: line 6: there is no setting 'volum.maximum'; did you mean 'volume.maximum'?")
    let many = try Bench(Bench.storage(String(repeating: Self.wrong, count: 5)))
    let text = try #require(many.status("configuration"))
    #expect(text.hasPrefix("5 lines are skipped: line 6: ") && text.hasSuffix("; and 2 more"), "\(text)")
    #expect(text.contains("line 8: ") && !text.contains("line 9: "))
    let fine = try Bench()
    #expect(fine.status("configuration") == nil && fine.status("light") == "off")
  }

  /// `status` and the log name the line, and repeat no secret and no unknown word.
  @Test(arguments: [
    "password=47110815", "set wifi.password 47110815", "set mqtt.password=47110815", "mqtt.password 47110815",
    "geheim47110815=1", "wifi Home 47110815", "set key47110815 1",
    "bind mode short play http://u:47110815@radio.example/x y",
  ]) func noSecretIsRepeated(line: String) throws {
    let bench = try Bench(Bench.storage(line + "\n"))
    let text = try #require(bench.status("configuration"))
    #expect(text.hasPrefix("1 line is skipped: line 6: ") && !text.contains("47110815"), "\(text)")
    #expect(!bench.ask("log 100").contains("47110815"))
    #expect(!bench.ask("report").contains("47110815"))
  }

  @Test func aFileThatCannotBeReadIsNamed() throws {
    let storage = Bench.storage()
    storage.configurationFailure = 5
    let bench = try Bench(storage)
    let text = try #require(bench.status("configuration"))
    #expect(text.hasPrefix("not read: /etc/box.conf"), "\(text)")
    let without = Bench.storage()
    without.files["/etc/box.conf"] = nil
    #expect(try Bench(without).status("configuration") == nil, "a box needs none")
  }

  /// The light shows the problem until the first press.
  @Test func theLightShowsItUntilAPress() throws {
    let bench = try Bench(Bench.storage(Self.wrong))
    bench.clock.run(seconds: 100)
    #expect(bench.status("light") == "amber 14 flashes")
    bench.press(0)
    bench.clock.run(seconds: 1)
    #expect(bench.status("light") != "amber 14 flashes" && bench.status("configuration") != nil)
  }

  @Test func musicEndsTheLight() throws {
    let bench = try Bench(Bench.storage(Self.wrong))
    _ = bench.ask("play long")
    #expect(bench.status("light") == "green steady")
    bench.clock.run(seconds: 10)
    bench.pullThePlug()
    // The restored playback starts at once.
    let next = try Bench(bench.machine.storage)
    next.clock.run(seconds: 2)
    #expect(next.status("state") == "playing" && next.status("light") == "green steady")
    _ = next.ask("pause")
    #expect(next.status("light") == "green breathing")
  }

  /// The light of a careful start takes precedence.
  @Test func aCarefulStartComesFirst() throws {
    let storage = Bench.storage(Self.wrong)
    storage.write("/run/starts", "3")
    let bench = try Bench(storage)
    bench.clock.run(seconds: 3)
    #expect(bench.status("light") == "red 12 flashes" && bench.status("configuration") != nil)
  }

  /// The peak sample after power-on with a cue from a file.
  private func heard(_ lines: String, cue: String) throws -> Float {
    let storage = Bench.storage("set cues.enabled on\nset volume.start 100\nset cues.volume 100\n" + lines)
    storage.tracks["/cue"] = SimulatedTrack(seconds: 1, level: 0.875)
    storage.files["/etc/box.conf"]? += Array("set cues.\(cue) /cue\n".utf8)
    let bench = try Bench(storage)
    bench.clock.run(seconds: 5)
    return try #require(bench.machine.card).loudest
  }

  @Test func aCueSaysItInThePlaceOfReady() throws {
    let (ready, skipped) = (try heard("", cue: "ready"), try heard(Self.wrong, cue: "configuration"))
    #expect(abs(ready - 0.875) < 0.01 && abs(skipped - 0.875) < 0.01)
    let (other, none) = (try heard(Self.wrong, cue: "ready"), try heard("", cue: "configuration"))
    #expect(other > 0 && abs(other - 0.875) > 0.01, "the built-in sound of skipped lines")
    #expect(none > 0 && abs(none - 0.875) > 0.01, "the built-in sound of a box that is ready")
    #expect(try heard(Self.wrong + "set cues.enabled off\n", cue: "configuration") == 0)
  }

  /// Problems in the card's other files, such as the network's, are reported in the same way.
  @Test func otherFilesOfTheCardAreSaid() throws {
    let storage = Bench.storage()
    storage.cardTrouble = "wifi.txt: the country is missing."
    let bench = try Bench(storage)
    bench.clock.run(seconds: 100)
    #expect(bench.status("card") == "wifi.txt: the country is missing.")
    #expect(bench.status("configuration") == nil && bench.status("light") == "amber 14 flashes")
    let fine = try Bench()
    #expect(fine.status("card") == nil)
  }

  @Test(
    arguments: [
      ("", nil), ("swiftlet.conf: line 2: wrong\r\n", nil), ("wifi.txt: a.\r\n", "wifi.txt: a."),
      ("wifi.txt: a.\nsound-card.txt: b.\nswiftlet.conf: c.\n", "wifi.txt: a.; sound-card.txt: b."),
      (String(repeating: "wifi.txt: a.\n", count: 5), "wifi.txt: a.; wifi.txt: a.; wifi.txt: a.; and 2 more"),
      ("wifi.txt: a\u{1B}[2J\r\n", "wifi.txt: a[2J"),
      ("all files: a.\r\n\ninstallation: b.\n", "all files: a.; installation: b."),
    ] as [(String, String?)]) func whatTheScriptLeavesIsRead(text: String, line: String?) throws
  {
    let path = "/tmp/card-trouble-\(UInt64.random(in: 0...(.max)))"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(text.utf8).write(to: URL(filePath: path))
    #expect(CardTrouble.read(path) == line)
    #expect(CardTrouble.read(path + "x") == nil)
  }

  /// `set` and `save` correct a value; the next start reports nothing.
  @Test func aValueThatIsMendedAndSavedIsGoneAtTheNextStart() throws {
    let storage = Bench.storage("set volume.maximum 400\n")
    let bench = try Bench(storage)
    #expect(bench.status("configuration")?.contains("volume.maximum") == true)
    _ = bench.ask("set volume.maximum 40")
    #expect(bench.ask("save").contains("written"))
    bench.clock.run(seconds: 61)
    bench.pullThePlug()
    let next = try Bench(storage)
    #expect(next.status("configuration") == nil && next.status("light") != "amber 14 flashes")
    #expect(next.ask("show volume.maximum").contains("40"))
  }

  /// Problems in a file that is read late are reported when it is read.
  @Test func aLateFileSaysSo() throws {
    let storage = Bench.storage(Self.wrong)
    storage.configurationHangs = true
    let bench = try Bench(storage)
    #expect(bench.status("configuration") == nil)
    storage.configurationHangs = false
    bench.clock.run(seconds: 2)
    #expect(bench.status("configuration") != nil && bench.status("light") == "amber 14 flashes")
  }
}
