// The replies to every declared command are the same as those of an earlier version: as text, as JSON and over MQTT.
// Tests/DaemonTests/Transcripts has them. Test threads.

import Foundation
import Platform
import Testing

@testable import Console
@testable import Daemon

@Suite struct TranscriptTests {
  /// Sessions in one format: its name, and the command that chooses it.
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
    path: "Transcripts")

  /// Each declared command by its examples, or by its name; help has documents of its own.
  private static let lines: [String] = CommandTable.declarations.flatMap { declaration in
    declaration.examples.isEmpty ? [declaration.name] : declaration.examples
  }.filter { !$0.hasPrefix("help") && !$0.hasPrefix("format") && !$0.hasPrefix("report") }

  /// What the box replies to a line, on a box of its own that plays music.
  private static func reply(to line: String, in format: String) throws -> String {
    let bench = try Bench()
    _ = bench.ask("format " + format)
    _ = bench.ask("play /music/long")
    bench.clock.run(seconds: 2)
    return bench.ask(line)
  }

  @Test(arguments: ["text", "json"]) func repliesAreUnchanged(format: String) throws {
    var text = ""
    for line in Self.lines { text += "> \(line)\n" + (try Self.reply(to: line, in: format)) }
    try Self.compare(text, with: "console-\(format).txt")
  }

  @Test func repliesOverMQTTAreUnchanged() throws {
    let first = try MQTTBench()
    var text = Self.published(by: first)
    for line in Self.lines {
      let mqtt = try MQTTBench()
      _ = mqtt.bench.ask("play /music/long")
      mqtt.run(2)
      mqtt.broker.forgetPublished()
      mqtt.broker.send("home/box/command", Array(line.utf8))
      mqtt.run(1.5)
      text += "> \(line)\n" + Self.published(by: mqtt)
    }
    try Self.compare(text, with: "mqtt.txt")
  }

  /// What a box has published since its broker forgot, in order: `r` marks retained messages.
  private static func published(by mqtt: MQTTBench) -> String {
    mqtt.broker.published.map { "\($0.isRetained ? "r" : " ") \($0.topic) \($0.text)\n" }.joined()
  }

  private static func compare(_ text: String, with name: String) throws {
    let file = folder.appending(path: name)
    if ProcessInfo.processInfo.environment["SWIFTLET_WRITE_REFERENCE"] != nil {
      try Data(text.utf8).write(to: file)
    }
    let stored = try String(contentsOf: file, encoding: .utf8)
    let difference = zip(text.split(separator: "\n"), stored.split(separator: "\n")).first { $0 != $1 }
    #expect(
      text == stored,
      "\(String(describing: difference)): SWIFTLET_WRITE_REFERENCE=1 writes the transcript again, after an intended change"
    )
  }
}
