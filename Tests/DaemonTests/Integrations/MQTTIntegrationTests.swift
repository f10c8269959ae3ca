// A box with a broker: what is published and when, commands, lost connections. Simulated time; test threads.

import Foundation
import Integrations
import Testing

@testable import Simulator

@Suite struct MQTTIntegrationTests {
  @Test func whatTheBoxDoesIsPublished() throws {
    let mqtt = try MQTTBench()
    #expect(mqtt.broker.text("home/box/availability") == "online")
    #expect(mqtt.standings == ["connected to broker.lan:1883"])
    #expect(mqtt.state("state") == "\"idle\"" && mqtt.state("title") == "null")
    _ = mqtt.bench.ask("play long")
    #expect(
      mqtt.state("state") == "\"playing\"" && mqtt.state("title") == "\"long\""
        && mqtt.state("length") == "3600")
    _ = mqtt.bench.ask("volume 37")
    _ = mqtt.bench.ask("queue shuffle on")
    _ = mqtt.bench.ask("queue repeat one")
    _ = mqtt.bench.ask("sleep 30")
    #expect(
      mqtt.state("volume") == "37" && mqtt.state("shuffle") == "\"on\"" && mqtt.state("repeat") == "\"one\"")
    #expect(mqtt.state("sleep") == "30")
    #expect(mqtt.broker.text("home/box/diagnostics")?.contains("\"xruns\":0") == true)
    #expect(mqtt.broker.text("home/box/diagnostics")?.contains("\"started\":\"2027-01-15T08:00:0") == true)
    #expect(mqtt.broker.text("home/box/diagnostics")?.contains("\"power_ons\":1") == true)
  }

  /// Six positions per minute during playback, none while nothing changes.
  @Test func positionsAreFew() throws {
    let mqtt = try MQTTBench()
    _ = mqtt.bench.ask("play long")
    mqtt.run(5)
    mqtt.broker.forgetPublished()
    mqtt.run(60)
    #expect((5...7).contains(mqtt.broker.published.filter { $0.topic == "home/box/position" }.count))
    #expect(mqtt.broker.published.count <= 10, "\(mqtt.broker.published)")
    _ = mqtt.bench.ask("pause")
    // The statistics of the pause are published within a minute.
    mqtt.run(70)
    mqtt.broker.forgetPublished()
    mqtt.run(600)
    #expect(mqtt.broker.published.isEmpty, "\(mqtt.broker.published)")
  }

  /// A turned knob is published a few times per second, including its final value.
  @Test func changesThatComeTogetherAreOne() throws {
    let mqtt = try MQTTBench()
    mqtt.broker.forgetPublished()
    for step in 1...40 {
      mqtt.bench.wire.type("volume \(step)")
      mqtt.run(0.05)
    }
    mqtt.run(1)
    #expect(mqtt.broker.published.filter { $0.topic == "home/box/state" }.count <= 12)
    #expect(mqtt.state("volume") == "40")
  }

  @Test func commandsAreCarriedOutAndAnswered() throws {
    let mqtt = try MQTTBench()
    #expect(mqtt.command("play long") == "{\"command\":\"play long\",\"ok\":true,\"fields\":{},\"rows\":[]}")
    #expect(mqtt.bench.status("state") == "playing")
    #expect(mqtt.command("volume 12")?.contains("\"ok\":true") == true && mqtt.bench.status("volume") == "12")
    #expect(mqtt.command("queue list")?.contains("\"rows\":[{\"") == true)
    let refused = try #require(mqtt.command("set fade.length 5"))
    #expect(refused.contains("\"ok\":false") && refused.contains("is not for MQTT"))
    #expect(mqtt.bench.ask("show fade.length").contains("set fade.length 0"))
    #expect(
      mqtt.command("shutdown")?.contains("is not for MQTT") == true && mqtt.bench.status("state") == "playing"
    )
    #expect(mqtt.command("play nowhere")?.contains("\"ok\":false") == true)
    #expect(mqtt.broker.published.allSatisfy { $0.topic != "home/box/answer" || !$0.isRetained })
  }

  @Test func oneThatTheBrokerHasKeptIsNotCarriedOut() throws {
    let mqtt = try MQTTBench { broker, _ in broker.keep("home/box/command", "volume 99") }
    #expect(mqtt.bench.status("volume") == "50")
    #expect(mqtt.broker.published.contains { $0.topic == "home/box/answer" && $0.text.contains("retained") })
  }

  @Test func aFloodIsDroppedAndTheBoxAnswers() throws {
    let mqtt = try MQTTBench()
    _ = mqtt.bench.ask("play long")
    mqtt.broker.forgetPublished()
    for number in 0..<100_000 { mqtt.broker.send("home/box/command", Array("volume \(number % 50)".utf8)) }
    #expect(mqtt.bench.status("state") == "playing")
    mqtt.run(1)
    #expect(mqtt.broker.published.count < 60, "\(mqtt.broker.published.count)")
    mqtt.run(5)
    #expect(mqtt.command("volume 41")?.contains("\"ok\":true") == true && mqtt.bench.status("volume") == "41")
  }

  @Test func homeAssistantIsToldWhatThereIsAndAgainWhenItStarts() throws {
    let mqtt = try MQTTBench()
    #expect(mqtt.documents.count > 20 && mqtt.documents.allSatisfy { $0.hasPrefix("homeassistant/") })
    mqtt.run(20)
    mqtt.broker.forgetPublished()
    for _ in 0..<1000 { mqtt.broker.send("homeassistant/status", Array("online".utf8)) }
    mqtt.run(0.5)
    #expect(mqtt.broker.published.isEmpty)
    mqtt.run(3)
    let count = mqtt.documents.count
    #expect(mqtt.broker.published.filter { $0.topic.hasSuffix("/config") }.count == count)
    #expect(mqtt.broker.published.contains { $0.topic == "home/box/availability" })
    #expect(mqtt.broker.published.contains { $0.topic == "home/box/state" })
    mqtt.broker.forgetPublished()
    mqtt.broker.send("homeassistant/status", Array("offline".utf8))
    mqtt.broker.send("homeassistant/status", Array("online".utf8), isRetained: true)
    mqtt.run(20)
    #expect(!mqtt.broker.published.contains { $0.topic.hasSuffix("/config") })
  }

  /// Discovery documents that this box has published under another prefix or by another version are removed;
  /// those of other devices stay.
  @Test(arguments: [nil, "homeassistant", "elsewhere"]) func documentsAreTakenBack(prefix: String?) throws {
    let mqtt = try MQTTBench { broker, options in
      options.discovery = prefix
      broker.keep("homeassistant/sensor/swiftlet_0123456789abcdef/state/config", "{}")
      broker.keep("homeassistant/sensor/swiftlet_0123456789abcdef/former/config", "{}")
      broker.keep("homeassistant/sensor/swiftlet_fedcba9876543210/state/config", "{}")
      broker.keep("homeassistant/sensor/lamp/state/config", "{}")
    }
    mqtt.run(1)
    let own = mqtt.documents.filter { $0.contains("0123456789abcdef") }
    #expect(own.allSatisfy { $0.hasPrefix((prefix ?? "nothing") + "/") }, "\(own)")
    #expect(own.isEmpty == (prefix == nil) && !own.contains { $0.contains("former") })
    #expect(mqtt.broker.retained["homeassistant/sensor/swiftlet_fedcba9876543210/state/config"] != nil)
    #expect(mqtt.broker.retained["homeassistant/sensor/lamp/state/config"] != nil)
    // The subscription to old documents is temporary.
    mqtt.run(60)
    #expect(!mqtt.broker.patterns.contains { $0.contains("+") })
  }

  @Test func aBrokerThatIsBackIsFoundSoon() throws {
    let mqtt = try MQTTBench()
    mqtt.run(60)
    mqtt.broker.answer = .lost("Connection refused")
    mqtt.broker.lose()
    mqtt.run(300)
    #expect(mqtt.standings.last == "no connection to broker.lan:1883: Connection refused")
    #expect((70...130).contains(mqtt.broker.attempts.count), "\(mqtt.broker.attempts.count)")
    mqtt.broker.answer = .connected
    _ = mqtt.bench.ask("volume 66")
    mqtt.run(5)
    #expect(mqtt.standings.last == "connected to broker.lan:1883")
    #expect(mqtt.state("volume") == "66")
    #expect(mqtt.standings.count == 4)
    mqtt.run(20)
    mqtt.broker.lose()
    mqtt.broker.forgetRetained()
    mqtt.run(5)
    #expect(mqtt.state("volume") == "66" && mqtt.broker.text("home/box/position") != nil)
    #expect(mqtt.broker.text("home/box/availability") == "online" && mqtt.documents.count > 20)
  }

  @Test func aBrokerThatDoesNotAnswerIsGivenUp() throws {
    let mqtt = try MQTTBench { broker, _ in broker.answer = nil }
    mqtt.run(11)
    #expect(mqtt.standings == ["no connection to broker.lan:1883: it does not answer"])
    mqtt.broker.answer = .connected
    mqtt.run(11)
    #expect(mqtt.standings.last == "connected to broker.lan:1883")
  }

  @Test func aWrongPasswordIsTriedSlowly() throws {
    let mqtt = try MQTTBench { broker, _ in broker.answer = .refused(4) }
    mqtt.run(60)
    #expect(mqtt.broker.attempts.count < 20, "\(mqtt.broker.attempts.count)")
    #expect(
      mqtt.standings.count == 1
        && mqtt.standings[0].contains("refuses user or password (mqtt.user, mqtt.password)"))
    mqtt.broker.answer = .connected
    mqtt.run(5)
    #expect(mqtt.standings.last == "connected to broker.lan:1883")
  }

  /// Another client with the same client id: each connection ends the other one.
  @Test func aRivalIsNotFoughtWithoutEnd() throws {
    let mqtt = try MQTTBench()
    for _ in 0..<6000 {
      mqtt.run(0.1)
      if mqtt.broker.isOpen { mqtt.broker.lose() }
    }
    #expect(mqtt.broker.attempts.count < 40, "\(mqtt.broker.attempts.count)")
    mqtt.run(60)
    #expect(mqtt.broker.isOpen && mqtt.broker.text("home/box/availability") == "online")
  }

  @Test func aBoxThatIsGoneIsNotAvailable() throws {
    let mqtt = try MQTTBench(hasBox: false)
    #expect(mqtt.broker.text("home/box/availability") == "offline")
    #expect(mqtt.command("play")?.contains("the box does not answer") == true)
    mqtt.sessions.hasBox = true
    mqtt.run(6)
    #expect(mqtt.broker.text("home/box/availability") == "online" && mqtt.state("state") == "\"idle\"")
    mqtt.sessions.loseBox()
    #expect(mqtt.broker.text("home/box/availability") == "offline")
    mqtt.sessions.hasBox = true
    mqtt.run(6)
    #expect(mqtt.broker.text("home/box/availability") == "online")
    mqtt.integration.end()
    #expect(mqtt.broker.text("home/box/availability") == "offline")
  }

  /// State is not queued for a broker that does not read; the latest state is published once it reads again.
  @Test func aBrokerThatReadsNothingGetsNothing() throws {
    let mqtt = try MQTTBench()
    mqtt.broker.hasRoom = false
    mqtt.broker.forgetPublished()
    for step in 1...50 {
      mqtt.bench.wire.type("volume \(step)")
      mqtt.broker.send("home/box/command", Array("status".utf8))
      mqtt.run(0.3)
    }
    #expect(mqtt.broker.published.isEmpty)
    mqtt.broker.hasRoom = true
    mqtt.broker.onEvent(.room)
    mqtt.run(1)
    #expect(mqtt.state("volume") == "50")
  }

  @Test func alarmsAreEvents() throws {
    let mqtt = try MQTTBench()
    func events() -> [String] {
      mqtt.broker.published.filter { $0.topic == "home/box/alarm" }.map { $0.text }
    }
    _ = mqtt.bench.ask("alarm 12:00 daily play long")
    #expect(events().isEmpty && mqtt.state("next_alarm") != "null")
    mqtt.run(24 * 3600)
    #expect(events().first?.contains("\"event_type\":\"rings\"") == true, "\(events())")
    #expect(events().first?.contains("long") == true)
    mqtt.broker.forgetPublished()
    _ = mqtt.bench.ask("alarm stop")
    _ = mqtt.bench.ask("alarm remove all")
    #expect(events().allSatisfy { $0.contains("\"over\"") })
    #expect(mqtt.broker.published.allSatisfy { $0.topic != "home/box/alarm" || !$0.isRetained })
  }
}
