// Error messages for MPD clients and limits on the length of their lines. Test threads.

import Testing

@testable import Library
@testable import Simulator

@Suite struct MPDWordsTests {
  /// Arguments that fit no command or name nothing that exists.
  private static let arguments = [
    "", "x", "99", "-1", "nowhere.flac", "\"no such folder\"", "99 99", "x y", "x 5", "nowhere.flac 0",
    "\"artist\" \"x\"",
    "\"(artist\"", "nothing x", "song nowhere.flac", "get song nowhere.flac x", "delete song nowhere.flac x",
    "a/b", "a b c", "/etc/passwd",
    "../x", "\"a\\nb\"", "0 nowhere.flac", "x nowhere.flac", "5 5 5",
  ]

  /// A refusal contains names, numbers and MPD's own terms, but no path of the box and no console command.
  @Test func refusalsNameWhatTheClientTyped() throws {
    let index = FakeIndex()
    index.state.withLock {
      $0.answer = .fault("the index is in /state/library; 'library rebuild' helps", isBroken: false)
    }
    for storage in [Bench.storage(), Bench.storage("set library.enabled on\n")] {
      let bench = try MPDBench(storage, library: index)
      let client = bench.greeted()
      let names = client.ask("commands").split(separator: "\n").compactMap { line in
        line.hasPrefix("command: ") ? String(line.dropFirst(9)) : nil
      }
      #expect(names.count > 80)
      var refusals = 0
      for name in names where !["close", "idle", "noidle", "password"].contains(name) {
        for arguments in Self.arguments {
          let answer = client.ask(name + " " + arguments)
          guard answer.hasPrefix("ACK ") else { continue }
          refusals += 1
          for word in [
            "/music", "/state", "media.root", "'media'", "'playlist'", "'queue", "'set ", "'library", ";",
          ] {
            #expect(
              !answer.contains(word) || answer.contains("; try again"), "\(name) \(arguments): \(answer)")
          }
        }
      }
      #expect(refusals > 500)
    }
  }

  /// Paths as long as the file system allows, and a filter of many conditions.
  @Test(arguments: [1000, 1178, 3500]) func longPathsAreAdded(count: Int) throws {
    var name = ""
    while name.utf8.count < count { name += String(repeating: "d", count: 99) + "/" }
    name = String(name.prefix(count - 5)) + ".flac"
    let storage = Bench.storage()
    storage.tracks["/music/" + name] = SimulatedTrack(seconds: 60, level: 0.25)
    let bench = try MPDBench(storage)
    let client = bench.greeted()
    #expect(client.ask("add \"\(name)\"") == "OK\n")
    #expect(client.ask("playlist") == "0:file: \(name)\nOK\n")
  }

  @Test func longFiltersAreAsked() throws {
    let index = FakeIndex()
    let bench = try MPDBench(Bench.storage("set library.enabled on\n"), library: index)
    let terms = (0..<60).map { "(artist != 'nobody of number \($0)')" }.joined(separator: " AND ")
    let client = bench.greeted()
    #expect(client.ask("find \"(\(terms))\"") == "OK\n")
    #expect(index.state.withLock { $0.questions.last?.contains("nobody of number 59") } == true)
  }

  /// A song selected by `seek` plays if the box was playing, and stays paused or stopped otherwise.
  @Test(arguments: ["pause 1", "stop", "pause 0"], ["seek 1 +5", "seekid 2 5"])
  func seekingToAnotherSongLeavesThePause(before: String, seek: String) throws {
    let bench = try MPDBench()
    let client = bench.greeted()
    _ = client.ask("add long", "add short", "play 0")
    bench.clock.run(seconds: 3)
    _ = client.ask(before)
    bench.clock.run(seconds: 1)
    #expect(client.ask(seek) == "OK\n")
    bench.clock.run(seconds: 1)
    let elapsed = try #require(client.field("elapsed").flatMap { Double($0) })
    #expect(client.field("song") == "1" && client.field("state") == (before == "pause 1" ? "pause" : "play"))
    #expect(before == "pause 1" ? elapsed == 5 : elapsed > 5.5 && elapsed < 8)
    _ = client.ask("play")
    bench.clock.run(seconds: 1)
    #expect(client.field("state") == "play" && client.field("song") == "1")
  }
}
