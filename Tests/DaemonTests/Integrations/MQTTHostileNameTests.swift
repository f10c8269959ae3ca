// Names and texts that contain terminal control sequences, are too long or not UTF-8, and how they are
// published. Simulated time; test threads.

import Foundation
import Platform
import Testing

@testable import Simulator

@Suite struct MQTTHostileNameTests {
  /// Clear screen, set title, C1 controls, backspace, a line end that could start a forged response, DEL.
  static let names = [
    "a\u{1B}[2J\u{1B}]0;x\u{07}\u{9B}31m\u{08}\u{85}\nOK\u{7F}b.wav", "\u{202E}gpj.exe\u{2066}",
    // Bytes that are not UTF-8, in the box's escaped form.
    "\u{EFFF}\u{EFFE}\u{EF80}x", "\",\"state\":\"forged", "quote\"back\\slash",
    String(repeating: "long ", count: 13_107), String(repeating: "\u{1F3B5}", count: 16_384), "\u{0}nul",
  ]

  private static func bench(_ name: String, fails: Bool = false) throws -> MQTTBench {
    let storage = Bench.storage()
    storage.folders["/music"] = SimulatedFolder(entries: [
      DirectoryEntry(name: "Hostile", isDirectory: true), DirectoryEntry(name: name, isDirectory: false),
    ])
    var folder = SimulatedFolder(entries: [DirectoryEntry(name: name, isDirectory: false)])
    folder.names = [name]
    storage.folders["/music/Hostile"] = folder
    var track = SimulatedTrack(seconds: 30, level: 0.25)
    if fails { track.failure = .corrupt }
    storage.tracks["/music/Hostile/" + name] = track
    return try MQTTBench(storage)
  }

  /// Checks that all published payloads are JSON or protocol keywords, without control characters, and
  /// bounded.
  private static func check(_ mqtt: MQTTBench, sourceLocation: SourceLocation = #_sourceLocation) throws {
    var payloads = mqtt.broker.published.map { (topic: $0.topic, bytes: Array($0.text.utf8)) }
    payloads += mqtt.broker.retained.map { (topic: $0.key, bytes: $0.value) }
    #expect(!payloads.isEmpty, sourceLocation: sourceLocation)
    for (topic, bytes) in payloads where !bytes.isEmpty {
      let isText = String(validating: bytes, as: UTF8.self) != nil
      let hasControls = bytes.contains { $0 < 0x20 || $0 == 0x7F }
      let limit = topic.hasSuffix("/answer") ? 256 * 1024 : 8192
      #expect(
        isText && !hasControls && bytes.count <= limit, "\(topic), \(bytes.count) bytes",
        sourceLocation: sourceLocation)
      guard bytes.first == 0x7B else { continue }
      let document = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
      guard let document else {
        Issue.record("\(topic) is no JSON", sourceLocation: sourceLocation)
        continue
      }
      guard topic.hasSuffix("/state") || topic.hasSuffix("/alarm") || topic.hasSuffix("/tag") else {
        continue
      }
      for (key, value) in document {
        guard let text = value as? String else { continue }
        let isPlain = text.unicodeScalars.allSatisfy {
          !(0x00..<0x20).contains($0.value) && !(0x7F..<0xA0).contains($0.value)
            && !(0x202A...0x202E).contains($0.value) && !(0x2066...0x2069).contains($0.value)
            && !(0xEF80...0xEFFF).contains($0.value)
        }
        #expect(isPlain && text.utf8.count <= 255, "\(topic), \(key)", sourceLocation: sourceLocation)
      }
    }
  }

  @Test(arguments: names) func whatPlaysIsPublishedPlain(name: String) throws {
    let mqtt = try Self.bench(name)
    _ = mqtt.bench.ask("play Hostile")
    mqtt.run(2)
    #expect(mqtt.state("state") == "\"playing\"")
    try Self.check(mqtt)
  }

  @Test(arguments: names) func whatFailsIsPublishedPlain(name: String) throws {
    let mqtt = try Self.bench(name, fails: true)
    _ = mqtt.bench.ask("play Hostile")
    mqtt.run(5)
    #expect(mqtt.state("error") != "null")
    try Self.check(mqtt)
  }

  /// Responses to commands from the broker.
  @Test(
    arguments: names,
    [
      "media", "media Hostile", "queue list 1 10", "current", "status", "history", "alarm", "tag",
      "playlist show kept",
    ]) func answersArePlain(name: String, command: String) throws
  {
    let mqtt = try Self.bench(name)
    for line in ["play Hostile", "playlist save kept", "alarm 12:00 daily play Hostile"] {
      _ = mqtt.bench.ask(line)
    }
    let answer = mqtt.command(command)
    #expect(answer != nil)
    try Self.check(mqtt)
  }

  /// A command itself may contain any character.
  @Test(arguments: names) func refusalsArePlain(name: String) throws {
    let mqtt = try Self.bench("x")
    for line in ["play \(name)", "nonsense \(name)", name, "alarm 12:00 daily play \(name)"] {
      _ = mqtt.command(line)
      try Self.check(mqtt)
    }
    mqtt.broker.send("home/box/command", [0xFF, 0xFE, 0x70] + [UInt8](repeating: 0x80, count: 65_536))
    mqtt.run(1)
    try Self.check(mqtt)
  }
}
