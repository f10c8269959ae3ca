// An acknowledged change is stored: answers wait for the file, and say what keeps it from being written. Test threads.

import Testing

@testable import Daemon
@testable import Simulator

@Suite struct StoredAnswerTests {
  /// Commands that store something, and the file it is in.
  static let commands = [
    ("tag 04aabbcc play short", ".tags"), ("tag remove 04aabbcc", ".tags"), ("tag remove all", ".tags"),
    ("alarm 7:00 daily play short", ".alarms"), ("alarm off 1", ".alarms"), ("alarm remove 1", ".alarms"),
    ("alarm remove all", ".alarms"), ("playlist save mine", ".playlists"),
    ("playlist clear kept", ".playlists"),
    ("playlist rename kept other", ".playlists"), ("playlist delete kept", ".playlists"),
  ]

  private func bench() throws -> Bench {
    let storage = Bench.storage()
    storage.folders["/music"] = SimulatedFolder(entries: [])
    let bench = try Bench(storage)
    for line in [
      "queue add short", "tag 04aabbcc play long", "alarm 8:00 daily play long", "playlist save kept",
    ] { #expect(bench.ask(line).hasPrefix("ok") || bench.ask(line).contains("\nok"), "\(line)") }
    bench.clock.run(seconds: 5)
    return bench
  }

  @Test(arguments: commands) func theAnswerComesAfterTheWrite(command: String, file: String) throws {
    let bench = try bench()
    let before = bench.machine.storage.files["/state" + file]
    let answer = bench.ask(command)
    #expect(answer.contains("ok"), "\(answer)")
    #expect(bench.machine.storage.files["/state" + file] != before, "\(answer)")
  }

  @Test(arguments: commands) func aReadOnlyStorageIsNamed(command: String, file: String) throws {
    let bench = try bench()
    bench.machine.storage.isReadOnly = true
    let answer = bench.ask(command)
    #expect(answer.contains("error: not saved: /state\(file): Read-only file system"), "\(answer)")
    // The light says so until it is written.
    #expect(bench.status("light") == "amber 15 flashes")
    bench.machine.storage.isReadOnly = false
    bench.clock.run(seconds: 130)
    #expect(bench.status("light") != "amber 15 flashes")
    #expect(bench.machine.storage.files["/state" + file] != nil)
  }

  /// Storage that hangs keeps nobody waiting longer than two seconds, and no other session at all.
  @Test(arguments: commands) func aSilentStorageIsNamedInTime(command: String, file: String) throws {
    let bench = try bench()
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

  /// On a full storage the cue is heard, in frames of the card, and the light shows it; where the change is saved, neither is.
  @Test(arguments: commands, [true, false]) func aFullStorageIsHeardAndSeen(
    command: (line: String, file: String), isFull: Bool
  ) throws {
    let storage = Bench.storage(
      "set volume.start 30\nset cues.enabled on\n")
    storage.folders["/music"] = SimulatedFolder(entries: [])
    let bench = try Bench(storage)
    for line in [
      "queue add short", "tag 04aabbcc play long", "alarm 8:00 daily play long", "playlist save kept",
    ] {
      _ = bench.ask(line)
    }
    bench.clock.run(seconds: 10)
    // The cue that a box starts with was quieter.
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
