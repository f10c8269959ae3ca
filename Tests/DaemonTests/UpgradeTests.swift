// State files written by version 0.2 (scripts/check-downgrade --write) are continued by the present version.
// scripts/check-downgrade tests the other direction by running 0.2. Test threads.

import Foundation
import Testing

@testable import Daemon
@testable import Simulator

@Suite struct UpgradeTests {
  struct Torn: Error { let line: String }

  /// A file of 0.2: its size, and blocks of bytes with their offsets.
  private static func file(_ name: String) throws -> [UInt8] {
    let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Samples/0.2/\(name).txt")
    let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n").filter {
      !$0.hasPrefix("#")
    }
    guard let size = lines.first.flatMap({ Int($0) }) else { throw Torn(line: "\(lines.first ?? "")") }
    var bytes = [UInt8](repeating: 0, count: size)
    for line in lines.dropFirst() {
      let parts = line.split(separator: " ")
      guard parts.count == 2, let start = Int(parts[0]), let block = Data(base64Encoded: String(parts[1])),
        start + block.count <= size
      else { throw Torn(line: "\(line)") }
      bytes.replaceSubrange(start..<(start + block.count), with: block)
    }
    return bytes
  }

  private func storage() throws -> SimulatedStorage {
    let storage = SimulatedStorage()
    storage.files["/etc/box.conf"] = try Self.file("swiftlet.conf")
    storage.files["/srv/state/checkpoint.bookmarks"] = try Self.file("checkpoint.bookmarks")
    storage.flashes["/srv/state/checkpoint"] = SimulatedFlash(try Self.file("checkpoint"))
    for (name, level) in [("one", 0.25), ("two", 0.5), ("three", 0.125)] as [(String, Float)] {
      storage.tracks["/srv/music/\(name).wav"] = SimulatedTrack(seconds: 90, level: level)
    }
    return storage
  }

  @Test func whatAnOlderBoxRemembersIsContinued() throws {
    let storage = try storage()
    let bench = try Bench(storage)
    bench.clock.run(seconds: 3)
    #expect(bench.status("state") == "paused" && bench.status("title") == "two.wav")
    let position = try #require(bench.status("position").flatMap { Double($0) })
    #expect((20..<23).contains(position))
    #expect(bench.status("volume") == "37" && bench.status("repeat") == "all")
    #expect(bench.status("queue") == "3" && bench.status("queue-position") == "3")
    let list = bench.ask("queue list")
    #expect(list.contains("1 three.wav\n") && list.contains("2 one.wav\n") && list.contains("3 two.wav\n"))
    #expect(bench.ask("bookmarks").contains("/srv/music/one.wav"))
    #expect(bench.ask("show fade.length").contains("fade.length 3"))
    #expect(bench.ask("show volume.maximum").contains("volume.maximum 80"))
    let trouble = bench.machine.logged.filter {
      $0.contains("damaged") || $0.contains("not understood") || $0.contains("there is no setting")
    }
    #expect(trouble == [])
    // Changing another setting keeps the queue settings of the older box.
    _ = bench.ask("set alarm.rise 90")
    #expect(bench.status("repeat") == "all")
    _ = bench.ask("play")
    bench.clock.run(seconds: 2)
    #expect(bench.status("state") == "playing" && bench.status("title") == "two.wav")
    // From here on the box writes its own format.
    _ = bench.ask("queue add one.wav")
    _ = bench.ask("power-failing")
    bench.pullThePlug()
    let again = try Bench(storage)
    again.clock.run(seconds: 3)
    #expect(
      again.status("queue") == "4" && again.status("title") == "two.wav" && again.status("volume") == "37")
  }
}
