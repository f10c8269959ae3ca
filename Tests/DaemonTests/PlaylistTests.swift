// Stored playlists: created, played, changed, and kept across a power cut. Test threads.

import Platform
import Testing

@testable import Daemon

@Suite struct PlaylistTests {
  private func bench(_ lines: String = "", _ storage: SimulatedStorage? = nil) throws -> Bench {
    let bench = try Bench(storage ?? Bench.storage(lines))
    bench.clock.run(seconds: 1)
    return bench
  }

  @Test func theQueueIsKeptAndPlayedAgain() throws {
    let bench = try bench()
    _ = bench.ask("queue add short long")
    #expect(
      bench.ask("playlist save \"Late evening\"").contains("ok 2 tracks in the playlist 'Late evening'"))
    #expect(
      bench.ask("playlist save \"Late evening\"").contains("there is a playlist 'Late evening' already"))
    #expect(bench.ask("playlist save \"Late evening\" append").contains("ok 4 tracks"))
    #expect(bench.ask("playlist save \"Late evening\" replace").contains("ok 2 tracks"))
    _ = bench.ask("queue clear")
    #expect(bench.ask("play \"playlist:Late evening\"").hasPrefix("ok 2 tracks: short"))
    bench.clock.run(seconds: 2)
    #expect(bench.status("state") == "playing" && bench.status("title") == "short")
    #expect(bench.ask("queue insert next \"playlist:Late evening\"").contains("4 in all"))
    #expect(bench.ask("playlist").contains("Late evening, 2 tracks"))
  }

  @Test func playlistsAreChanged() throws {
    let bench = try bench()
    #expect(bench.ask("playlist add A short").contains("ok 1 track in"))
    #expect(bench.ask("playlist add A long 1").contains("ok 2 tracks in"))
    #expect(bench.ask("playlist add A http://radio.example/live").contains("ok 3 tracks in"))
    #expect(bench.ask("playlist add A playlist:A 4").contains("ok 6 tracks in"))
    #expect(bench.ask("playlist move A 1 3").contains("ok"))
    let shown = bench.ask("playlist show A 1 3")
    #expect(
      shown.contains("1 short") && shown.contains("3 long") && shown.contains("'playlist show A 4' continues")
    )
    #expect(bench.ask("playlist remove A 2 6").contains("ok 1 track in"))
    #expect(bench.ask("playlist rename A B").contains("is called 'B' now"))
    #expect(bench.ask("playlist").contains("B, 1 track"))
    #expect(bench.ask("playlist clear B").contains("ok 0 tracks in"))
    #expect(bench.ask("play playlist:B").contains("the playlist 'B' is empty"))
    #expect(bench.ask("playlist delete B").contains("ok the playlist 'B' is deleted"))
    #expect(bench.ask("playlist").contains("no playlists"))
  }

  @Test(arguments: [
    ("playlist show C", "there is no 'C'"), ("play playlist:C", "there is no playlist 'C'"),
    ("playlist add A nothing", "there is no 'nothing'"), ("playlist add A short 5", "there is no position 5"),
    ("playlist remove A 2", "there is no position 2"), ("playlist remove A 1 2", "there is no position 2"),
    ("playlist move A 2 1", "there is no position 2"), ("playlist move A 1 2", "there is no position 2"),
    ("playlist clear C", "there is no playlist 'C'"), ("playlist delete C", "there is no playlist 'C'"),
    ("playlist rename C D", "there is no playlist 'C'"),
    ("playlist rename A A", "there is a playlist 'A' already"),
    ("playlist save a/b", "is not a playlist's name"), ("playlist save A twice", "append or replace"),
  ])
  func whatCannotBeIsRefused(_ line: String, _ words: String) throws {
    let bench = try bench()
    _ = bench.ask("playlist add A short")
    let answer = bench.ask(line)
    #expect(answer.hasPrefix("error") && answer.contains(words), "\(answer)")
    #expect(bench.ask("playlist").contains("A, 1 track"))
  }

  @Test func theyAreThereAfterAPowerCut() throws {
    let storage = Bench.storage()
    let first = try bench("", storage)
    _ = first.ask("playlist add A short")
    _ = first.ask("tag 1 play playlist:A")
    first.clock.run(seconds: 5)
    first.pullThePlug()
    let second = try bench("", storage)
    #expect(second.ask("playlist").contains("A, 1 track"))
    #expect(second.ask("tag swipe 1").hasPrefix("ok 1 track: short"))
  }

  @Test func withoutAFileTheyLastUntilPowerOff() throws {
    let bench = try bench("set checkpoint.path off\n")
    #expect(bench.ask("playlist add A short").contains("lost at power-off"))
    _ = bench.ask("playlist add A long")
    #expect(bench.ask("playlist").contains("A, 2 tracks"))
    #expect(bench.ask("play playlist:A").hasPrefix("ok 2 tracks: short"))
  }

  @Test func whatCannotBeReadIsNotReplaced() throws {
    let storage = Bench.storage()
    let first = try bench("", storage)
    _ = first.ask("playlist add A short")
    first.clock.run(seconds: 5)
    first.pullThePlug()
    storage.isUnreadable = true
    let second = try bench("", storage)
    _ = second.ask("playlist add B long")
    second.clock.run(seconds: 12)
    #expect(second.wire.takeText().contains("cannot be read"))
    storage.isUnreadable = false
    second.clock.run(seconds: 120)
    #expect(second.ask("playlist add B long").hasPrefix("ok"))
    #expect(second.ask("playlist").contains("A, 1 track"))
  }

  /// A playlist file in the music folder is played; stored playlists have their own namespace.
  @Test(arguments: ["A.m3u", "A"]) func filesAmongTheMusicAreNotChanged(name: String) throws {
    let storage = Bench.storage()
    storage.write("/music/\(name)", "long\n")
    let bench = try bench("", storage)
    for line in ["rename \(name) B", "delete \(name)", "clear \(name)", "remove \(name) 1"] {
      let answer = bench.ask("playlist " + line)
      #expect(answer.contains("there is no playlist '\(name)'"), "\(answer)")
    }
    #expect(bench.ask("playlist add \(name) short").contains("ok 1 track in"))
    #expect(bench.ask("playlist save \(name) replace").contains("ok 0 tracks in"))
    _ = bench.ask("playlist delete \(name)")
    #expect(storage.files["/music/\(name)"] == Array("long\n".utf8))
  }

  @Test func whoWatchesIsTold() throws {
    let bench = try bench()
    let watcher = bench.watcher("watch playlist")
    _ = bench.ask("playlist add A short")
    _ = bench.ask("playlist delete A")
    let text = watcher.takeText()
    #expect(text.contains("playlist: A has 1 track") && text.contains("playlist: A is deleted"), "\(text)")
  }
}
