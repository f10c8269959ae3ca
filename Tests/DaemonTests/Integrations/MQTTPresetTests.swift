// Stored playlists as Home Assistant buttons. Simulated time; test threads.

import Integrations
import Testing

@testable import Simulator

@Suite struct MQTTPresetTests {
  /// The buttons' names and their payloads.
  private func buttons(_ mqtt: MQTTBench) -> [String: String] {
    var found: [String: String] = [:]
    for (topic, payload) in mqtt.broker.retained
    where topic.contains("/button/") && topic.contains("/preset_") {
      let text = String(decoding: payload, as: UTF8.self)
      found[value("name", of: text)] = value("payload_press", of: text)
    }
    return found
  }

  private func value(_ name: String, of text: String) -> String {
    guard let start = text.range(of: "\"\(name)\":\"") else { return "" }
    return String(text[start.upperBound...].prefix { $0 != "\"" })
  }

  @Test func playlistsAreButtonsAsSoonAsTheyAreKept() throws {
    let mqtt = try MQTTBench()
    #expect(buttons(mqtt).isEmpty)
    _ = mqtt.bench.ask("playlist add Evening long")
    _ = mqtt.bench.ask("playlist add Stations short")
    #expect(buttons(mqtt) == ["Evening": "play playlist:Evening", "Stations": "play playlist:Stations"])
    #expect(mqtt.command("play playlist:Evening")?.contains("\"ok\":true") == true)
    #expect(mqtt.bench.status("title") == "long")
    _ = mqtt.bench.ask("playlist rename Stations Radio")
    _ = mqtt.bench.ask("playlist delete Evening")
    #expect(buttons(mqtt) == ["Radio": "play playlist:Radio"])
    // Adding a track to a playlist does not change its button.
    mqtt.broker.forgetPublished()
    _ = mqtt.bench.ask("playlist add Radio long")
    #expect(!mqtt.broker.published.contains { $0.topic.hasSuffix("/config") })
  }

  /// Buttons from before this start are removed only once the stored playlists are loaded.
  @Test func formerPresetsAreTakenBack() throws {
    let storage = Bench.storage()
    let first = try MQTTBench(storage)
    _ = first.bench.ask("playlist add Evening long")
    _ = first.bench.ask("playlist add Morning long")
    let left = first.broker.retained
    _ = first.bench.ask("playlist delete Morning")
    #expect(buttons(first).count == 1 && left.count == first.broker.retained.count + 1)
    let second = try MQTTBench(storage, hasBox: false) { broker, _ in
      for (topic, payload) in left { broker.keep(topic, String(decoding: payload, as: UTF8.self)) }
    }
    second.run(3)
    #expect(buttons(second).count == 2)
    second.sessions.hasBox = true
    second.run(8)
    #expect(Array(buttons(second).keys) == ["Evening"])
  }

  @Test func theyAreThereAgainAtABrokerThatHasForgotten() throws {
    let mqtt = try MQTTBench()
    _ = mqtt.bench.ask("playlist add Evening long")
    mqtt.run(20)
    mqtt.broker.lose()
    mqtt.broker.forgetRetained()
    mqtt.run(5)
    #expect(Array(buttons(mqtt).keys) == ["Evening"])
  }

  @Test func thereAreSoManyAtMost() throws {
    let mqtt = try MQTTBench()
    for number in 0..<(MQTTPresets.maxCount + 6) { mqtt.bench.wire.type("playlist add P\(number) long") }
    mqtt.run(5)
    #expect(buttons(mqtt).count == MQTTPresets.maxCount)
  }
}
