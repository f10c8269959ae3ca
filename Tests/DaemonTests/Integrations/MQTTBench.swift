// A simulated box with an in-memory MQTT broker. Test threads.

import Integrations
import Platform

@testable import Simulator

/// A broker as a single client sees it.
final class MemoryBroker: MQTTBroker {
  var onEvent: (MQTTEvent) -> Void = { _ in }
  var hasRoom = true
  /// The event that follows a connection attempt; nil for none.
  var answer: MQTTEvent? = .connected
  private(set) var attempts: [UInt64] = []
  private(set) var isOpen = false
  private(set) var retained: [String: [UInt8]] = [:]
  private(set) var published: [(topic: String, text: String, isRetained: Bool)] = []
  private(set) var patterns: [String] = []
  private let clock: SimulatedScheduler
  private let delivery: DeadlineTimer

  init(_ clock: SimulatedScheduler) {
    self.clock = clock
    delivery = DeadlineTimer(clock)
  }

  func connect() {
    attempts.append(clock.now)
    guard let answer else { return }
    delivery.start(after: 1_000_000) { [unowned self] in
      isOpen = answer == .connected
      onEvent(answer)
    }
  }

  func close() {
    delivery.stop()
    isOpen = false
    patterns = []
  }

  func publish(_ topic: String, _ payload: [UInt8], isRetained: Bool) {
    guard isOpen else { return }
    published.append((topic, String(decoding: payload, as: UTF8.self), isRetained))
    if isRetained { retained[topic] = payload.isEmpty ? nil : payload }
  }

  func subscribe(_ pattern: String) {
    guard isOpen else { return }
    patterns.append(pattern)
    for (topic, payload) in retained where Self.matches(topic, pattern) {
      arriving.append(MQTTMessage(topic: topic, payload: payload, isRetained: true))
    }
    delivery.start(after: 1_000_000) { [unowned self] in
      let messages = arriving
      arriving = []
      for message in messages { onEvent(.message(message)) }
    }
  }
  private var arriving: [MQTTMessage] = []

  func unsubscribe(_ pattern: String) { patterns.removeAll { $0 == pattern } }

  /// Drops the connection.
  func lose() {
    isOpen = false
    onEvent(.lost("the connection was lost"))
  }

  /// Delivers a message from another client.
  func send(_ topic: String, _ payload: [UInt8], isRetained: Bool = false) {
    onEvent(.message(MQTTMessage(topic: topic, payload: payload, isRetained: isRetained)))
  }

  /// Sets a retained message from an earlier session.
  func keep(_ topic: String, _ text: String) { retained[topic] = Array(text.utf8) }

  func text(_ topic: String) -> String? { retained[topic].map { String(decoding: $0, as: UTF8.self) } }

  /// Restarts the broker without its retained messages.
  func forgetRetained() { retained = [:] }

  func forgetPublished() { published = [] }

  private static func matches(_ topic: String, _ pattern: String) -> Bool {
    let (levels, wanted) = (topic.split(separator: "/"), pattern.split(separator: "/"))
    return levels.count == wanted.count && zip(levels, wanted).allSatisfy { $1 == "+" || $0 == $1 }
  }
}

/// A box, its MQTT integration and the broker.
final class MQTTBench {
  let bench: Bench
  let broker: MemoryBroker
  let sessions: BoxSessions
  let options: MQTTOptions
  let integration: MQTTIntegration
  private(set) var standings: [String] = []
  private let link: BoxLink

  init(
    _ storage: SimulatedStorage = Bench.storage(), hasBox: Bool = true,
    prepare: (MemoryBroker, inout MQTTOptions) -> Void = { _, _ in }
  ) throws {
    let bench = try Bench(storage)
    self.bench = bench
    let broker = MemoryBroker(bench.clock)
    self.broker = broker
    var options = MQTTOptions(
      host: "broker.lan", prefix: "home/box", name: "Box", identity: "0123456789abcdef", version: "1.2.3")
    prepare(broker, &options)
    self.options = options
    let sessions = BoxSessions(bench, .mqtt)
    sessions.hasBox = hasBox
    self.sessions = sessions
    let link = BoxLink(subjects: MQTTFeed.subjects, scheduler: bench.clock) { sessions.connect() }
    self.link = link
    let integration = MQTTIntegration(
      broker, box: link, options, scheduler: bench.clock,
      wallClock: { 1_800_000_000 + Int64(bench.clock.now / 1_000_000_000) })
    self.integration = integration
    link.onEvent = { integration.note($0, $1) }
    link.onPresence = { integration.noteBox($0) }
    integration.onStanding = { [unowned self] text, _ in standings.append(text) }
    link.start()
    integration.start()
    run(1)
  }

  func run(_ seconds: Double) { bench.clock.run(seconds: seconds) }

  /// A raw value of the retained state; nil if it has no such name.
  func state(_ name: String) -> String? {
    guard let text = broker.text("home/box/state"), let start = text.range(of: "\"\(name)\":") else {
      return nil
    }
    return String(text[start.upperBound...].prefix { $0 != "," && $0 != "}" })
  }

  /// Publishes a command and returns its response.
  func command(_ line: String) -> String? {
    broker.forgetPublished()
    broker.send("home/box/command", Array(line.utf8))
    run(0.5)
    return broker.published.last { $0.topic == "home/box/answer" }?.text
  }

  var documents: [String] { broker.retained.keys.filter { $0.hasSuffix("/config") } }
}
