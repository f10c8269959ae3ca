// File names in Latin-1, which are not valid UTF-8, are found by the text that the user sees or means. Test
// threads.

import Platform
import PlaybackModel
import Testing

@testable import Daemon
@testable import Simulator

@Suite struct LegacyNameTests {
  /// `früh` and `Übung` in Latin-1.
  private static let names = [
    String(pathBytes: Array("fr".utf8) + [0xFC] + Array("h".utf8)),
    String(pathBytes: [0xDC] + Array("bung".utf8)),
  ]

  private func bench(besides: [String] = []) throws -> Bench {
    let storage = Bench.storage("")
    let names = Self.names + besides
    storage.folders["/music"] = SimulatedFolder(
      entries: names.map { DirectoryEntry(name: $0, isDirectory: false) })
    for name in names { storage.tracks["/music/" + name] = SimulatedTrack(seconds: 300, level: 0.25) }
    return try Bench(storage)
  }

  /// As a terminal shows the invalid byte, as the user means it, in capitals, and as Tab completion and MPD
  /// return it.
  static let typed = [
    ("fr\u{FFFD}h", 0), ("FR\u{FFFD}H", 0), ("fr\u{FC}h", 0), ("FR\u{DC}H", 0), ("fru\u{308}h", 0),
    (names[0], 0), ("\u{FFFD}bung", 1), ("\u{FC}bung", 1), (names[1], 1), ("/music/fr\u{FFFD}h", 0),
  ]

  @Test(arguments: typed, ["play NAME", "queue add NAME", "queue insert next NAME", "announce NAME"])
  func theFileIsFound(typed: (text: String, index: Int), command: String) throws {
    let bench = try bench()
    let line = command.split(separator: " ").map { $0 == "NAME" ? typed.text : String($0) }.joined(
      separator: " ")
    let answer = bench.ask(line)
    #expect(answer.contains("ok"), "\(answer)")
    guard !command.hasPrefix("announce") else { return }
    let path = bench.box?.openedPlayer?.queue.tracks.first?.path
    #expect(path == "/music/" + Self.names[typed.index])
    _ = bench.ask("play")
    #expect(bench.status("state") == "playing")
  }

  /// Stored names still lead to the file after a restart.
  @Test(arguments: typed) func tagsLeadToTheFile(typed: (text: String, index: Int)) throws {
    let bench = try bench()
    let tag = bench.ask("tag 04aabbcc play \(typed.text)")
    #expect(tag.contains("ok") && !tag.contains("warning"), "\(tag)")
    _ = bench.ask("simulate tag 04aabbcc")
    _ = bench.ask("play \(typed.text)")
    #expect(bench.status("state") == "playing")
  }

  /// If two names look the same, neither is chosen.
  @Test func twoNamesThatReadTheSameAreNotGuessed() throws {
    let other = String(pathBytes: Array("fr".utf8) + [0xF6] + Array("h".utf8))
    let bench = try bench(besides: [other])
    #expect(!bench.ask("play fr\u{FFFD}h").contains("ok"))
    #expect(bench.ask("play fr\u{F6}h").contains("ok"))
    #expect(bench.box?.openedPlayer?.queue.tracks.first?.path == "/music/" + other)
  }

  /// Each byte matches its Latin-1 letter and the replacement character, and no other letter.
  @Test func everyByteIsFound() {
    for byte in UInt8(0x80)...0xFF {
      let name = String(pathBytes: [0x61, byte, 0x62])
      let letter = "a" + String(Unicode.Scalar(byte)) + "b"
      #expect(TextFolding.areAlike(name, letter) && TextFolding.areAlike(letter, name))
      #expect(TextFolding.areAlike(name, "a\u{FFFD}b") && TextFolding.areAlike("A\u{FFFD}B", name))
      #expect(!TextFolding.areAlike(name, "a?b") && !TextFolding.areAlike(name, "ab"))
    }
    #expect(!TextFolding.areAlike("a\u{FC}b", "a\u{FFFD}b"))
  }

  /// Playlists and the checkpoint keep the bytes of the name.
  @Test(arguments: [0, 1]) func whatIsKeptLeadsToTheFile(index: Int) throws {
    let bench = try bench()
    let path = "/music/" + Self.names[index]
    _ = bench.ask("play \(path)")
    #expect(bench.ask("playlist save Old").contains("ok"))
    bench.pullThePlug()
    let restarted = try Bench(bench.machine.storage)
    restarted.clock.run(seconds: 3)
    let restored = restarted.box?.openedPlayer?.queue.tracks.map(\.path)
    #expect(restored == [path])
    _ = restarted.ask("queue clear")
    #expect(restarted.ask("play playlist:Old").contains("ok"))
    let (state, heard) = (restarted.status("state"), restarted.box?.openedPlayer?.queue.tracks.map(\.path))
    #expect(state == "playing" && heard == [path])
  }
}
