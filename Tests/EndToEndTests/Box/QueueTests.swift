// The daemon's queue: tracks play in the order of the commands. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing
import VirtualCardSupport

@Suite(.realTime) struct BoxQueueTests {
  /// The tracks in playing order, without immediate repetitions.
  private func order(_ segments: [Segment]) -> [Int] {
    segments.reduce(into: []) { if $0.last != $1.track { $0.append($1.track) } }
  }

  private func plays(_ commands: [String], _ order: [Int], tracks: Int = 4) throws {
    let box = try BoxRig()
    try box.tracks(1...tracks, seconds: 0.4)
    for command in commands { try box.tell(command) }
    try box.tell("play")
    try box.reaches("finished")
    try box.fallsSilent()
    #expect(self.order(box.card.segments) == order, "\(commands)")
  }

  @Test(arguments: [
    (["queue add 1.wav 2.wav", "queue insert 1 3.wav"], [3, 1, 2]),
    (["queue add 1.wav 2.wav", "queue insert next 3.wav"], [1, 2, 3]),
    (["queue add 1.wav 2.wav 3.wav", "queue remove 2"], [1, 3]),
    (["queue add 1.wav 2.wav 3.wav", "queue move 3 1"], [3, 1, 2]),
    (["queue add 1.wav 2.wav", "queue clear", "queue add 4.wav"], [4]),
    (["queue add 3.wav 1.wav 2.wav", "queue clear upcoming", "queue add 2.wav"], [2]),
  ])
  func changesAreHeard(commands: [String], order: [Int]) throws { try plays(commands, order) }

  @Test func aFolderAndAPlaylistAreTheirTracks() throws {
    let box = try BoxRig()
    let folder = box.bench.directory.appendingPathComponent("Album")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (number, name) in [(1, "2 b"), (2, "10 a"), (3, "1 c")] {
      try box.bench.write(Coded.track(number, seconds: 0.3), as: "Album/\(name).wav")
    }
    try box.bench.write(Data("hidden".utf8), as: "Album/.hidden.wav")
    try box.bench.write(Data("text".utf8), as: "Album/cover.txt")
    try box.bench.write(Data("#EXTM3U\nAlbum/10 a.wav\nAlbum/1 c.wav\n".utf8), as: "list.m3u")
    try box.tell("play Album")
    try box.tell("queue add list.m3u")
    try box.reaches("finished")
    try box.fallsSilent()
    #expect(box.card.segments.map(\.track) == [3, 1, 2, 2, 3])
  }

  /// Names in decomposed form, as macOS stores them, or with different case, typed on another machine.
  @Test(arguments: ["H\u{f6}rb\u{fc}cher/Eins", "h\u{f6}rb\u{fc}cher/EINS", "HO\u{308}RBU\u{308}CHER/eins"])
  func aNameThatDiffersInCaseOrAccentsOnlyIsFound(typed: String) throws {
    let box = try BoxRig()
    let inner = "Ho\u{308}rbu\u{308}cher/Eins"
    let folder = box.bench.directory.appendingPathComponent(inner)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try box.bench.write(Coded.track(1, seconds: 0.3), as: inner + "/1.wav")
    try box.tell("play \(typed)")
    try box.reaches("finished")
    #expect(try box.refusal(of: "play H\u{f6}rb\u{fc}cher/Zwei").contains("there is no 'H"))
  }

  @Test func jumpGoesThere() throws {
    let box = try BoxRig()
    try box.tracks(1...3, seconds: 10)
    try box.tell("queue add 1.wav 2.wav 3.wav")
    try box.tell("play")
    try box.hears { $0.last?.track == 1 }
    try box.tell("queue jump 3")
    try box.hears { $0.last?.track == 3 }
    try box.tell("queue remove 3")
    // A removed track stops playing; without a next track the music stops.
    try box.fallsSilent()
    #expect(try #require(box.card.segments.last).positions.count < 5 * 44100)
    #expect(try box.refusal(of: "queue jump 7").hasPrefix("error:"))
    #expect(try box.tell("queue").last == "ok 2 tracks")
  }

  @Test func whatIsAddedWhilePlayingJoinsWithoutAGap() throws {
    let box = try BoxRig()
    try box.tracks(1...3, seconds: 1)
    try box.tell("play 1.wav")
    try box.hears { $0.count == 1 }
    try box.tell("queue add 2.wav")
    try box.tell("queue insert next 3.wav")
    try box.reaches("finished")
    try box.fallsSilent()
    let segments = box.card.segments
    #expect(segments.map(\.track) == [1, 3, 2])
    #expect(zip(segments, segments.dropFirst()).allSatisfy { $0.end == $1.frame })
  }

  @Test func repeatOneAndAllGoRound() throws {
    let box = try BoxRig()
    try box.tracks(1...2, seconds: 0.4)
    try box.tell("queue add 1.wav 2.wav")
    try box.tell("queue repeat one")
    try box.tell("play")
    try box.hears { $0.count >= 3 && $0.allSatisfy { $0.track == 1 } }
    try box.tell("queue repeat all")
    try box.hears { self.order($0).suffix(4) == [2, 1, 2, 1] }
    try box.tell("queue repeat off")
    try box.reaches("finished")
    #expect(try box.fields()["repeat"] == "off")
  }

  @Test func shuffleHearsEachOnce() throws {
    let box = try BoxRig()
    try box.tracks(1...8, seconds: 0.2)
    try box.tell("queue shuffle on")
    try box.tell("queue add \((1...8).map { "\($0).wav" }.joined(separator: " "))")
    try box.tell("play")
    try box.reaches("finished")
    try box.fallsSilent()
    #expect(box.card.segments.map(\.track).sorted() == Array(1...8))
    #expect(try box.fields()["shuffle"] == "yes")
  }

  @Test func theEndOfTheQueueClearsItIfToldSo() throws {
    let box = try BoxRig(["set queue.end clear"])
    try box.tracks(1...1, seconds: 0.3)
    try box.tell("play 1.wav")
    let isEmpty = box.bench.waits { (try? box.fields()["queue"]) == "0" }
    #expect(isEmpty)
    #expect(box.card.segments.map(\.track) == [1])
  }

  @Test(arguments: [
    "../secret.wav", "/etc/passwd", "outside/secret.wav", "link.wav", "inside/../../secret.wav",
  ])
  func nothingOutsideOfTheRootsIsPlayed(path: String) throws {
    let bench = try Workbench()
    let root = bench.directory.appendingPathComponent("root")
    try FileManager.default.createDirectory(
      at: root.appendingPathComponent("inside"), withIntermediateDirectories: true)
    try bench.write(Coded.track(9, seconds: 0.5), as: "secret.wav")
    try bench.write(Coded.track(1, seconds: 0.5), as: "root/1.wav")
    try FileManager.default.createSymbolicLink(
      atPath: root.path + "/outside", withDestinationPath: bench.directory.path)
    try FileManager.default.createSymbolicLink(
      atPath: root.path + "/link.wav", withDestinationPath: bench.path("secret.wav"))
    let box = try BoxRig(["set media.root \(root.path)"], bench: bench)
    try bench.write(Data("1.wav\n\(path)\n".utf8), as: "root/list.m3u")
    // Refused at once, or when the track is opened.
    _ = try box.client.ask("play \(path)")
    // A playlist cannot bypass the check.
    _ = try box.client.ask("queue add list.m3u")
    _ = try box.client.ask("queue jump 1")
    _ = try box.client.ask("queue add 1.wav")
    _ = try box.client.ask("play")
    try box.hears { $0.contains { $0.track == 1 } }
    let isOver = bench.waits { ["finished", "failed", "idle"].contains((try? box.fields()["state"]) ?? "") }
    #expect(isOver)
    try box.fallsSilent()
    #expect(box.card.segments.allSatisfy { $0.track == 1 })
  }
}
