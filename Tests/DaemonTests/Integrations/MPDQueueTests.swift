// MPD clients that edit the queue during playback: the box plays what the queue contains. Test threads.

import PlaybackModel
import Testing

@testable import Simulator

@Suite struct MPDQueueTests {
  /// A box that plays the second of three songs, and a client.
  private func playing(_ configuration: String = "") throws -> (bench: MPDBench, client: MPDWire) {
    let storage = Bench.storage(configuration)
    storage.tracks["/music/third"] = SimulatedTrack(seconds: 60, level: 0.125)
    storage.folders["/music"] = SimulatedFolder(entries: [])
    let bench = try MPDBench(storage)
    let client = bench.greeted()
    _ = client.ask("add long", "add short", "add third", "play 1")
    bench.clock.run(seconds: 1)
    #expect(client.field("song") == "1" && client.field("state") == "play")
    return (bench, client)
  }

  /// How clients replace the queue: mpc, Home Assistant's play_media, "replace" buttons.
  static let replacements: [[String]] = [
    ["clear", "add third", "play"], ["clear", "addid third", "play"], ["clear", "add third", "play 0"],
    ["delete 0:", "add third", "play"], ["delete 0:", "addid third", "play -1"],
    ["stop", "clear", "add third", "play"],
    ["command_list_begin\nclear\nadd third\nplay\ncommand_list_end"],
    ["command_list_ok_begin\ndelete 0:\naddid third\nplay\ncommand_list_end"],
    ["add third", "delete 0:3", "play"], ["pause 1", "clear", "add third", "play"],
  ]

  @Test(arguments: replacements, ["", "set fade.manual-length 1\n"])
  func replacingTheQueuePlaysTheNewSong(lines: [String], configuration: String) throws {
    let (bench, client) = try playing(configuration)
    for line in lines { #expect(client.ask(line).hasSuffix("OK\n"), "\(line)") }
    bench.clock.run(seconds: 1.5)
    #expect(
      client.field("state") == "play" && client.field("song") == "0" && client.field("playlistlength") == "1")
    #expect(client.field("file", of: "currentsong") == "third")
    #expect(bench.bench.status("path") == "/music/third")
  }

  /// Commands that take several changes of the box's queue, or positions that another client may have changed.
  private static let edits = [
    "move 0:3 5", "move 2:5 0", "move 6 0", "swap 0 7", "swap 2 3", "delete 1:4", "delete 0",
    "prio 10 0 3 5:7",
  ]

  /// Two clients that change the queue at the same time have the result of one after the other.
  @Test(arguments: edits) func changesAtTheSameTimeAreOneAfterTheOther(first: String) throws {
    let storage = Bench.storage()
    storage.folders["/music"] = SimulatedFolder(entries: [])
    let songs = (0..<8).map { "song\($0)" }
    for song in songs { storage.tracks["/music/" + song] = SimulatedTrack(seconds: 60, level: 0.125) }
    let bench = try MPDBench(storage)
    let clients = [bench.greeted(), bench.greeted()]
    func order() -> [String] {
      clients[0].ask("playlistinfo").split(separator: "\n").filter {
        $0.hasPrefix("file: ") || $0.hasPrefix("Prio: ")
      }.map { String($0) }
    }
    func begin() { _ = clients[0].ask("clear", songs.map { "add " + $0 }.joined(separator: "\n")) }
    for second in Self.edits {
      let serial = [[first, second], [second, first]].map { lines in
        begin()
        for line in lines { _ = clients[0].ask(line) }
        return order()
      }
      begin()
      clients[0].send(first + "\n")
      clients[1].send(second + "\n")
      bench.clock.run(seconds: 0.5)
      let answers = clients.map { $0.take() }
      let found = order()
      #expect(serial.contains(found), "\(first) and \(second): \(found) \(answers)")
    }
  }

  /// One command of a client is one change of the box's queue.
  @Test(arguments: edits) func aCommandIsOneEvent(line: String) throws {
    let (bench, client) = try playing("set fade.manual-length 0\n")
    for _ in 0..<2 { _ = client.ask("add long", "add short", "add third") }
    let watcher = bench.bench.watcher("watch queue")
    #expect(client.ask(line) == "OK\n")
    let events = watcher.takeText().split(separator: "\n").filter {
      $0.hasPrefix("* ") || $0.contains("queue")
    }
    #expect(events.count == 1, "\(line): \(events)")
  }

  @Test func removingTheSongThatPlaysPlaysTheNext() throws {
    let (bench, client) = try playing()
    #expect(client.ask("delete 1") == "OK\n")
    bench.clock.run(seconds: 0.5)
    #expect(client.field("state") == "play" && client.field("file", of: "currentsong") == "third")
    #expect(client.ask("delete 1") == "OK\n")
    bench.clock.run(seconds: 1)
    #expect(client.field("state") == "stop" && client.field("song") == nil)
  }

  /// As in MPD, the next song becomes current but is not played until the client asks for it.
  @Test func removingThePausedSongLeavesTheNextOneToPlay() throws {
    let (bench, client) = try playing()
    _ = client.ask("pause 1")
    #expect(client.ask("delete 1") == "OK\n")
    #expect(client.field("state") != "play" && client.field("song") == "1")
    _ = client.ask("play")
    bench.clock.run(seconds: 0.5)
    #expect(client.field("state") == "play" && client.field("file", of: "currentsong") == "third")
  }

  /// Both during the fade-out of the stop and after it.
  @Test(arguments: [0.0, 2]) func aStoppedSongStaysTheCurrentOneAndBeginsAnew(pause: Double) throws {
    let (bench, client) = try playing()
    bench.clock.run(seconds: 5)
    _ = client.ask("stop")
    bench.clock.run(seconds: pause)
    #expect(client.field("state") == "stop" && client.field("song") == "1")
    #expect(client.field("songid") != nil && client.field("file", of: "currentsong") == "short")
    _ = client.ask("play")
    bench.clock.run(seconds: 0.5)
    #expect(client.field("state") == "play" && client.field("song") == "1")
    #expect(client.field("elapsed").flatMap { Double($0) }.map { $0 < 2.5 } == true)
  }

  @Test func afterTheLastSongThereIsNone() throws {
    let (bench, client) = try playing()
    _ = client.ask("play 2")
    bench.clock.run(seconds: 62)
    // A client that is silent for a minute was disconnected.
    let other = bench.greeted()
    #expect(other.field("state") == "stop" && other.field("song") == nil)
    #expect(other.ask("currentsong") == "OK\n")
  }

  // MARK: A full queue

  /// A folder with `count` songs, at the limit of the queue.
  private func full(_ count: Int) throws -> (bench: MPDBench, client: MPDWire) {
    let storage = Bench.storage()
    var folder = SimulatedFolder(entries: [])
    folder.tracks = count
    storage.folders["/music/many"] = folder
    let bench = try MPDBench(storage)
    let client = bench.greeted()
    client.send("add many\n")
    bench.clock.run(seconds: 5)
    return (bench, client)
  }

  /// MPD's behavior with five songs of which the third one plays.
  @Test(
    arguments: [
      ("1:1 5", ["playlist"]), ("1:1 4", ["playlist"]), ("1:1 6", nil), ("0:0 1", nil),
      ("4:4 1", ["playlist"]),
      ("4:4 4", []), ("5:5 1", nil), ("1:1 1", []), ("1:1 0", nil), ("1:1 +0", ["playlist"]), ("1:1 +9", nil),
      ("2:1 1", nil),
    ] as [(String, [String]?)]) func anEmptyRangeIsMovedNowhere(words: String, told: [String]?) throws
  {
    let bench = try MPDBench()
    let client = bench.greeted()
    for _ in 0..<5 { _ = client.ask("add long") }
    _ = client.ask("play 2")
    bench.clock.run(seconds: 5)
    _ = client.ask("idle", "noidle")
    let before = client.ask("playlistid")
    let answer = client.ask("move " + words)
    #expect(told == nil ? answer.hasPrefix("ACK [2@0] {move} ") : answer == "OK\n", "\(answer)")
    let changes = client.ask("idle", "noidle").split(separator: "\n").filter { $0.hasPrefix("changed: ") }
    #expect(changes.map { String($0.dropFirst(9)) } == told ?? [])
    #expect(client.ask("playlistid") == before)
  }

  @Test func aFullQueueIsListedToItsEnd() throws {
    let (bench, client) = try full(PlayQueue.limit)
    #expect(client.take() == "OK\n")
    client.send("status\n")
    bench.clock.run(seconds: 20)
    #expect(client.take().contains("playlistlength: \(PlayQueue.limit)\n"))
    #expect(client.ask("playlistinfo \(PlayQueue.limit - 1)").contains("Pos: \(PlayQueue.limit - 1)\n"))
    #expect(client.ask("currentsong").hasSuffix("OK\n"))
    #expect(client.ask("add long").hasPrefix("ACK [51@0] {add} "))
    #expect(client.ask("addid long").hasPrefix("ACK [51@0] {addid} "))
    #expect(client.ask("addid long 0").hasPrefix("ACK [51@0] {addid} "))
    #expect(client.ask("delete \(PlayQueue.limit - 1)") == "OK\n")
    bench.clock.run(seconds: 20)
    #expect(client.ask("add long") == "OK\n")
  }

  /// A folder that does not fit is refused as a whole; MPD would keep the part that fits.
  @Test func aFolderThatDoesNotFitIsRefused() throws {
    let (bench, client) = try full(PlayQueue.limit + 5)
    #expect(client.take().hasPrefix("ACK [51@0] {add} "))
    #expect(bench.bench.status("queue") == "\(PlayQueue.limit)")
    #expect(bench.bench.ask("queue add /music/long").contains("The queue holds 10000 tracks at most"))
    #expect(
      bench.bench.ask("queue insert 10001 /music/long").contains("The queue holds 10000 tracks at most"))
    #expect(bench.bench.ask("queue list 10001").contains("10000 tracks"))
    #expect(bench.bench.ask("queue remove 10001").contains("no position 10001"))
  }
}
