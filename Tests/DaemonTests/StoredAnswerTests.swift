// An acknowledged change is durable: responses wait for the file and name the reason if it cannot be written.
// Test threads.

import Foundation
import Testing

@testable import Console
@testable import Daemon
@testable import Simulator

@Suite struct StoredAnswerTests {
  /// Commands that store something, and the file's suffix. `everyStoringCommandIsListed` compares them with
  /// the table of commands.
  static let commands = [
    ("tag 04aabbcc play short", ".tags"), ("tag remove 04aabbcc", ".tags"), ("tag remove all", ".tags"),
    ("alarm 7:00 daily play short", ".alarms"), ("alarm off 1", ".alarms"), ("alarm remove 1", ".alarms"),
    ("alarm remove all", ".alarms"), ("playlist save mine", ".playlists"),
    ("playlist clear kept", ".playlists"),
    ("playlist rename kept other", ".playlists"), ("playlist delete kept", ".playlists"),
    ("playlist add kept short", ".playlists"), ("playlist remove kept 1", ".playlists"),
    ("playlist move kept 1 2", ".playlists"), ("alarm on 1", ".alarms"),
    ("sticker set short rating 10", ".stickers"), ("sticker set new rating 1", ".stickers"),
    ("sticker delete short", ".stickers"), ("sticker delete short rating", ".stickers"),
  ]

  /// MPD commands that store something.
  static let commandsOfMPD = [
    ("save other", ".playlists"), ("save kept append", ".playlists"), ("save kept replace", ".playlists"),
    ("playlistadd kept long", ".playlists"), ("playlistadd kept long 0", ".playlists"),
    ("playlistclear kept", ".playlists"), ("playlistdelete kept 0", ".playlists"),
    ("playlistmove kept 0 1", ".playlists"), ("rename kept other", ".playlists"), ("rm kept", ".playlists"),
    ("sticker set song short rating 10", ".stickers"), ("sticker delete song short", ".stickers"),
    ("sticker delete song short rating", ".stickers"),
  ]

  /// How a command reaches the box.
  enum Entrance: CaseIterable {
    case socket, console, mqtt
  }

  /// Lines typed before each command.
  static let before = [
    "queue add short long", "tag 04aabbcc play long", "alarm 8:00 daily play long", "playlist save kept",
    "sticker set short rating 7",
  ]

  private static func storage() -> SimulatedStorage {
    let storage = Bench.storage("set console.tty /dev/ttyS0\n")
    storage.folders["/music"] = SimulatedFolder(entries: [])
    return storage
  }

  private func prepare(_ bench: Bench, for command: String) {
    for line in Self.before + (command == "alarm on 1" ? ["alarm off 1"] : []) {
      let answer = bench.ask(line)
      #expect(answer.hasPrefix("ok") || answer.contains("\nok"), "\(line): \(answer)")
    }
    bench.clock.run(seconds: 5)
  }

  private func bench(for command: String = "", _ hasSerialLine: Bool = false) throws -> Bench {
    let bench = try Bench(Self.storage(), hasSerialLine: hasSerialLine)
    prepare(bench, for: command)
    return bench
  }

  /// Returns a closure that types a line at a terminal and returns what the box sends within some seconds.
  private func typing(_ wire: ClientWire, _ bench: Bench) -> (_ line: String, _ seconds: Double) -> String {
    { line, seconds in
      if !line.isEmpty { wire.type(line) }
      bench.clock.run(seconds: seconds)
      return wire.takeText()
    }
  }

  /// A box and a closure that gives it a command and returns what the box sends within some seconds.
  private func entrance(
    _ entrance: Entrance, for command: String
  ) throws -> (Bench, (_ line: String, _ seconds: Double) -> String) {
    switch entrance {
    case .socket:
      let bench = try bench(for: command)
      return (bench, typing(bench.machine.listener.connect(), bench))
    case .console:
      let bench = try bench(for: command, true)
      return (bench, typing(try #require(bench.machine.serialLine), bench))
    case .mqtt:
      let mqtt = try MQTTBench(Self.storage())
      prepare(mqtt.bench, for: command)
      return (
        mqtt.bench,
        { line, seconds in
          mqtt.broker.forgetPublished()
          if !line.isEmpty { mqtt.broker.send("home/box/command", Array(line.utf8)) }
          mqtt.run(seconds)
          return mqtt.broker.published.last { $0.topic == "home/box/answer" }?.text ?? ""
        }
      )
    }
  }

  /// Each command that belongs to a stored file either changes nothing or is in `commands`.
  @Test func everyStoringCommandIsListed() {
    let others: Set = [
      "alarm stop", "snooze", "tag learn", "tag swipe", "tag lift", "playlist", "playlist show",
      "sticker list",
      "sticker find",
    ]
    let names = CommandTable.declarations.map { $0.spellings[0].joined(separator: " ") }.filter {
      ["tag", "alarm", "playlist", "sticker"].contains($0.split(separator: " ")[0])
    }
    #expect(names.count >= 18)
    for name in names where !others.contains(name) {
      let isListed = Self.commands.contains { $0.0 == name || $0.0.hasPrefix(name + " ") }
      #expect(isListed, "\(name)")
    }
  }

  /// Whether a command is allowed; MQTT refuses some of them.
  private func isAllowed(_ command: String, at entrance: Entrance) throws -> Bool {
    guard entrance == .mqtt else { return true }
    let parsed = try #require(try Interpreter.parse(Array(command.utf8)))
    return IntegrationKind.mqtt.mayGive(parsed)
  }

  @Test(arguments: commands, Entrance.allCases) func eachEntranceTellsWhatIsNotSaved(
    command: (line: String, file: String), entrance: Entrance
  ) throws {
    guard try isAllowed(command.line, at: entrance) else { return }
    let (bench, ask) = try self.entrance(entrance, for: command.line)
    bench.machine.storage.isReadOnly = true
    let refused = ask(command.line, 1)
    #expect(refused.contains("not saved: /state\(command.file): Read-only file system"), "\(refused)")
    let (other, askOther) = try self.entrance(entrance, for: command.line)
    other.machine.storage.stateHangs = true
    let early = askOther(command.line, 0.5)
    #expect(!early.contains("ok") && !early.contains("not saved"), "\(early)")
    let late = askOther("", 2.5)
    #expect(late.contains("not saved yet: the storage of /state\(command.file)"), "\(late)")
  }

  @Test(arguments: commandsOfMPD) func clientsOfMPDAreToldWhatIsNotSaved(command: String, file: String) throws
  {
    func clients() throws -> (MPDBench, MPDWire, MPDWire) {
      let mpd = try MPDBench(Self.storage())
      prepare(mpd.bench, for: command)
      return (mpd, mpd.greeted(), mpd.greeted())
    }
    let (well, client, _) = try clients()
    let before = well.bench.machine.storage.files["/state" + file]
    let answer = client.ask(command)
    #expect(answer == "OK\n" && well.bench.machine.storage.files["/state" + file] != before, "\(answer)")
    let (readOnly, refused, _) = try clients()
    readOnly.bench.machine.storage.isReadOnly = true
    let refusal = refused.ask(command)
    #expect(
      refusal.hasPrefix("ACK [52@0]") && refusal.contains("not saved: Read-only file system"), "\(refusal)")
    let (silent, waiting, other) = try clients()
    silent.bench.machine.storage.stateHangs = true
    #expect(waiting.ask(command) == "")
    // Playback does not wait for storage.
    #expect(other.ask("setvol 33") == "OK\n" && other.ask("play 0") == "OK\n")
    silent.clock.run(seconds: 3)
    let late = waiting.take()
    #expect(late.hasPrefix("ACK [52@0]") && late.contains("not saved yet"), "\(late)")
  }

  /// Changes that arrive faster than the write interval are written together; each is acknowledged after its
  /// write.
  @Test func stickersOfManyClientsAreWrittenTogether() throws {
    let bench = try bench()
    let note = String(repeating: "x", count: 1000)
    for number in 1...100 { _ = bench.ask("sticker set songs/\(number) note \(note)") }
    let wires = (0..<5).map { _ in bench.machine.listener.connect() }
    for round in 1...5 {
      let before = bench.machine.storage.replacements
      for (number, wire) in wires.enumerated() { wire.type("sticker set new/\(number) plays \(round)") }
      bench.clock.run(seconds: 2)
      let answers = wires.map { $0.takeText() }
      #expect(
        answers.allSatisfy { $0.contains("ok") }
          && (1...2).contains(bench.machine.storage.replacements - before))
    }
    let written = String(decoding: bench.machine.storage.files["/state.stickers"] ?? [], as: UTF8.self)
    #expect(written.contains("sticker plays=5"))
  }

  @Test(arguments: commands) func theAnswerComesAfterTheWrite(command: String, file: String) throws {
    let bench = try bench(for: command)
    let before = bench.machine.storage.files["/state" + file]
    let answer = bench.ask(command)
    #expect(answer.contains("ok"), "\(answer)")
    #expect(bench.machine.storage.files["/state" + file] != before, "\(answer)")
  }

  @Test(arguments: commands) func aReadOnlyStorageIsNamed(command: String, file: String) throws {
    let bench = try bench(for: command)
    bench.machine.storage.isReadOnly = true
    let answer = bench.ask(command)
    #expect(answer.contains("error: not saved: /state\(file): Read-only file system"), "\(answer)")
    // The light shows the error until the write succeeds.
    #expect(bench.status("light") == "amber 15 flashes")
    bench.machine.storage.isReadOnly = false
    bench.clock.run(seconds: 130)
    #expect(bench.status("light") != "amber 15 flashes")
    #expect(bench.machine.storage.files["/state" + file] != nil)
  }

  /// Something else in the place of the file, as a symbolic link, a folder or a pipe. The change is either refused, or
  /// is not saved; both name the obstacle. A change that is not saved has a light and a line in `status`.
  @Test(
    arguments: commands.filter {
      !$0.0.contains("remove") && !$0.0.contains(" off ") && !$0.0.contains(" on ")
    },
    [ELOOP, EISDIR, EINVAL])
  func anObstacleInPlaceOfTheFileIsNamed(command: (line: String, file: String), code: Int32) throws {
    let storage = Self.storage()
    let path = "/state" + command.file
    storage.refusedFiles[path] = code
    let bench = try Bench(storage)
    let kind = code == ELOOP ? "a symbolic link" : code == EISDIR ? "a folder" : "a pipe or a socket"
    let answer = bench.ask(command.line)
    #expect(
      answer.contains("error") && answer.contains("\(path) is \(kind), where the box keeps"), "\(answer)")
    guard answer.contains("not saved") else { return }
    #expect(bench.status("light") == "amber 15 flashes")
    #expect(bench.status("not-saved")?.contains("\(path) is \(kind)") == true)
    storage.refusedFiles = [:]
    bench.clock.run(seconds: 130)
    #expect(bench.status("light") != "amber 15 flashes" && bench.status("not-saved") == nil)
    #expect(storage.files[path] != nil)
  }

  /// The change after the obstacle is gone is saved at once.
  @Test(arguments: ["playlist save mine", "sticker set short rating 10", "tag 04aabbcc play short"])
  func aFileWhoseObstacleIsGoneIsReadAtTheNextCommand(line: String) throws {
    let storage = Self.storage()
    for file in [".playlists", ".stickers", ".tags"] { storage.refusedFiles["/state" + file] = ELOOP }
    let bench = try Bench(storage)
    #expect(bench.ask(line).contains("is a symbolic link"))
    storage.refusedFiles = [:]
    #expect(bench.ask(line).contains("ok"))
  }

  /// Lists of an unread file do not claim to be empty.
  @Test(arguments: [
    ("alarm", ".alarms"), ("tag", ".tags"), ("playlist", ".playlists"), ("sticker list short", ".stickers"),
    ("bookmarks", ".bookmarks"),
  ]) func listsOfAFileThatCannotBeReadSaySo(line: String, file: String) throws {
    let storage = Self.storage()
    storage.refusedFiles["/state" + file] = ELOOP
    let answer = try Bench(storage).ask(line)
    #expect(answer.contains("cannot be read: /state\(file) is a symbolic link"), "\(answer)")
  }

  /// Storage that hangs delays the response by at most two seconds, and no other session.
  @Test(arguments: commands) func aSilentStorageIsNamedInTime(command: String, file: String) throws {
    let bench = try bench(for: command)
    bench.machine.storage.stateHangs = true
    let wire = bench.machine.listener.connect()
    wire.type(command)
    bench.clock.run(seconds: 0.5)
    #expect(!wire.takeText().contains("ok"))
    #expect(bench.ask("volume 33").contains("ok"))
    bench.clock.run(seconds: 2)
    let answer = wire.takeText()
    #expect(
      answer.contains("error: not saved yet: the storage of /state\(file) does not answer"), "\(answer)")
  }

  /// On full storage the error cue plays and the light shows it; if the change is saved, neither happens.
  @Test(arguments: commands, [true, false]) func aFullStorageIsHeardAndSeen(
    command: (line: String, file: String), isFull: Bool
  ) throws {
    let storage = Bench.storage(
      "set volume.start 30\nset cues.enabled on\n")
    storage.folders["/music"] = SimulatedFolder(entries: [])
    let bench = try Bench(storage)
    prepare(bench, for: command.line)
    bench.clock.run(seconds: 5)
    // The cue at startup was quieter.
    _ = bench.ask("volume 100")
    let card = try #require(bench.machine.card)
    let before = card.loudest
    storage.isFull = isFull
    let answer = bench.ask(command.line)
    bench.clock.run(seconds: 5)
    let light = bench.status("light")
    #expect((light == "amber 15 flashes") == isFull)
    if isFull {
      #expect(
        answer.contains("error: not saved: /state\(command.file): No space left on device"), "\(answer)")
      #expect(card.loudest > 2 * before && before > 0, "\(card.loudest)")
    } else {
      #expect(answer.contains("ok") && card.loudest == before, "\(answer)")
    }
  }

  @Test func theCueSaysSoOnce() throws {
    let storage = Bench.storage("set cues.enabled on\n")
    let bench = try Bench(storage)
    bench.machine.storage.isReadOnly = true
    _ = bench.ask("tag 04aabbcc play short")
    bench.clock.run(seconds: 30)
    #expect(
      bench.machine.logged.count { $0.contains("/state.tags was not written") } == 1,
      "\(bench.machine.logged)")
  }
}
