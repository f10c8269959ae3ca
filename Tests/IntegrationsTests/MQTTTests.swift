// Documents, topics and commands of the MQTT integration, individually. Test threads.

import Console
import Foundation
import PlaybackModel
import Testing

@testable import Integrations

@Suite struct MQTTTests {
  private static let evil = "a\"b\\c\u{1}\n\t\u{7F}\u{85}ü😀{{ x }}"

  private func options(_ change: (inout MQTTOptions) -> Void = { _ in }) -> MQTTOptions {
    var options = MQTTOptions(
      host: "broker", prefix: "home/box", name: Self.evil, identity: "0123456789abcdef", version: "1.2.3")
    change(&options)
    return options
  }

  private func object(_ bytes: [UInt8]) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
  }

  /// Fields as a box sends them.
  private func fields(_ pairs: [(String, String)]) throws -> BoxFields {
    let reply = Reply.ok(Answer(fields: pairs.map { Field($0.0, $0.1) }))
    var reader = BoxAnswerReader()
    guard case .done(let fields, _) = try #require(reader.take(reply.rendered(.lines)).first) else {
      Issue.record("no answer")
      return BoxFields()
    }
    return fields
  }

  /// Possible names of playlists.
  private static let presets = ["Evening", "a \"quoted\" \\ one", "Küche {{ x }} #1"]

  @Test func everyDocumentIsComplete() throws {
    let documents = MQTTDiscovery.documents(options(), presets: Self.presets)
    var names: Set<String> = []
    for (topic, payload) in documents {
      let document = try object(payload)
      let device = try #require(document["device"] as? [String: Any])
      // Control characters may be replaced; other characters are unchanged.
      #expect(
        device["name"] as? String == Self.evil
          && device["identifiers"] as? String == "swiftlet_0123456789abcdef")
      #expect(names.insert(topic).inserted, "\(topic) twice")
      #expect(
        topic.hasPrefix("homeassistant/") && topic.hasSuffix("/config")
          && topic.split(separator: "/").count == 5)
      let component = String(topic.split(separator: "/")[1])
      // A tag has only the fields that Home Assistant supports for tags.
      guard component != "tag" else {
        #expect(Set(document.keys) == ["topic", "value_template", "device", "origin"])
        continue
      }
      let id = try #require(document["unique_id"] as? String)
      #expect(names.insert(id).inserted, "\(id) twice")
      #expect(
        document["availability_topic"] as? String == "home/box/availability" && document["name"] is String)
      if ["number", "switch", "select", "button"].contains(component) {
        #expect(document["command_topic"] as? String == "home/box/command")
      }
      if component != "button" {
        #expect((document["state_topic"] as? String)?.hasPrefix("home/box/") == true)
      }
      if component == "select" { #expect((document["options"] as? [String])?.isEmpty == false) }
      if component == "event" {
        #expect((document["event_types"] as? [String]) == ["rings", "snoozed", "over"])
      }
      for name in ["payload_press", "payload_on", "payload_off"] {
        if let line = document[name] as? String { #expect(try Interpreter.parse(line) != nil) }
      }
    }
    #expect(documents.count > 20)
    #expect(MQTTDiscovery.documents(options { $0.discovery = nil }, presets: Self.presets).isEmpty)
  }

  /// A playlist of any name is a button that plays it; each name has its own button.
  @Test func everyPresetPlaysItsPlaylist() throws {
    var keys: Set<String> = []
    for name in Self.presets {
      let (topic, payload) = try #require(MQTTDiscovery.preset(name, options()))
      let document = try object(payload)
      #expect(document["name"] as? String == name && keys.insert(topic).inserted)
      let line = try #require(document["payload_press"] as? String)
      #expect(try Interpreter.parse(line) == .play(path: "playlist:" + name))
      let play = Command.play(path: "playlist:" + name)
      #expect(judge(line) == .give(play) && play.properties.reply == .mayWait)
      #expect(MQTTDiscovery.isTold(topic, options(), presets: [name]))
      // A preset may exist as long as the box has not listed its playlists.
      #expect(MQTTDiscovery.isTold(topic, options(), presets: nil))
      #expect(!MQTTDiscovery.isTold(topic, options(), presets: ["Other"]))
      #expect(!MQTTDiscovery.isTold("x" + topic, options(), presets: nil))
    }
    #expect(MQTTDiscovery.preset("a", options { $0.discovery = nil }) == nil)
  }

  /// The value that a template reads exists in its document.
  @Test func everyTemplateFindsItsValue() throws {
    let topics = MQTTTopics(options())
    let all = [
      topics.state: try object(MQTTState.state(BoxFields())),
      topics.position: try object(MQTTState.position(BoxFields())),
      topics.diagnostics: try object(MQTTState.diagnostics(BoxFields(), version: "1", started: 0)),
    ]
    for (topic, payload) in MQTTDiscovery.documents(options(), presets: []) {
      let document = try object(payload)
      guard let template = document["value_template"] as? String,
        let place = document["state_topic"] as? String
      else {
        continue
      }
      let name = template.dropFirst("{{ value_json.".count).dropLast(" }}".count)
      #expect(all[place]?[String(name)] != nil, "\(topic)")
    }
  }

  @Test func theStateIsWhatStatusSays() throws {
    let status = try fields([
      ("state", "playing"), ("title", Self.evil), ("artist", String(repeating: "ü", count: 400)),
      ("length", "183.250"),
      ("position", "61.999"), ("volume", "40"), ("repeat", "all"), ("shuffle", "yes"),
      ("sleep-seconds", "61"),
      ("output", "no sound card; trying again in 8 s"), ("last-error", "It is gone; trying again in 3 s"),
      ("queue", "7"),
      ("queue-position", "2"), ("next-alarm", "mon 07:00"),
    ])
    let state = try object(MQTTState.state(status))
    // Characters that are unsafe for terminals are not published either.
    #expect(state["title"] as? String == "a\"b\\cü😀{{ x }}")
    #expect((state["artist"] as? String)?.utf8.count == 250)
    #expect(state["length"] as? Int == 183 && state["volume"] as? Int == 40 && state["sleep"] as? Int == 2)
    #expect(
      state["shuffle"] as? String == "on" && state["repeat"] as? String == "all"
        && state["queue"] as? Int == 7)
    #expect(state["output"] as? String == "no sound card" && state["error"] as? String == "It is gone")
    #expect(state["alarm"] as? String == "quiet" && state["next_alarm"] as? String == "mon 07:00")
    #expect(state["album"] is NSNull && state["limit"] as? String == "none")
    #expect(try object(MQTTState.position(status))["position"] as? Int == 61)
    for strange in ["nan", "inf", "-5", "1e300", "", "x"] {
      #expect(try object(MQTTState.position(fields([("position", strange)])))["position"] is NSNull)
    }
  }

  @Test func onlyReadersMakeTagsHeardOf() throws {
    let placed = try fields([("change", "placed"), ("tag", "0099"), ("command", "play \"a\"")])
    let document = try object(#require(MQTTState.tag(placed)))
    #expect(document["tag"] as? String == "0099" && document["reader"] is NSNull)
    #expect(MQTTState.tag(try fields([("change", "set"), ("tag", "1")])) == nil)
    #expect(MQTTState.tag(BoxFields()) == nil)
  }

  @Test func theStartIsTheSameForAnHour() throws {
    var started: Int64?
    for turn in 0..<360 {
      let now = 1_800_000_000 + Int64(turn * 10) + Int64(turn % 2)
      started = MQTTState.started(try fields([("uptime", "\(turn * 10).4")]), now: now, former: started)
      #expect(started == 1_800_000_000)
    }
    let document = try object(MQTTState.diagnostics(BoxFields(), version: "1", started: 1_800_000_000))
    #expect(document["started"] as? String == "2027-01-15T08:00:00Z")
    #expect(MQTTState.started(BoxFields(), now: 1_800_100_000, former: started) == 1_800_100_000)
  }

  @Test(
    arguments: [
      ("quiet", "rings", "rings"), ("rings", "rings with the fallback", nil),
      ("rings", "snoozed until mon 07:09", "snoozed"),
      ("snoozed until mon 07:09", "rings", "rings"), ("rings", "quiet", "over"), ("quiet", "quiet", nil),
    ] as [(String, String, String?)]) func alarmsComeToEvents(old: String, new: String, event: String?)
  {
    #expect(MQTTState.alarmEvent(from: old, to: new) == event)
  }

  // MARK: Topics and names

  @Test func anIdentityIsKeptAndTellsNothing() {
    let one = MQTTOptions.identity(machine: "4711", name: "box")
    #expect(one == MQTTOptions.identity(machine: "4711", name: "box") && one.utf8.count == 16)
    #expect(one != MQTTOptions.identity(machine: "4712", name: "box"))
    #expect(one != MQTTOptions.identity(machine: "4711", name: "box2"))
    #expect(!one.contains("4711"))
  }

  @Test(arguments: [("kitchen", "kitchen"), ("a/b+c#", "a-b-c-"), ("", "box"), ("Küche", "K--che")])
  func aNameBecomesALevel(name: String, level: String) { #expect(MQTTOptions.level(name) == level) }

  @Test(arguments: [
    ("homeassistant/sensor/swiftlet_0123456789abcdef/x/config", true),
    ("x/y/swiftlet_0123456789abcdef/z/config", true),
    ("homeassistant/sensor/swiftlet_fedcba9876543210/x/config", false),
    ("homeassistant/sensor/swiftlet_0123456789abcdef/x/state", false),
    ("homeassistant/sensor/swiftlet_0123456789abcdef/config", false), ("", false), ("////", false),
  ]) func onlyOwnDocumentsAreOwn(topic: String, isOwn: Bool) {
    #expect(MQTTTopics(options()).isDocument(topic) == isOwn)
  }

  @Test(arguments: [
    "", "/a", "a/", "a//b", "a+", "#", "$SYS", String(repeating: "a", count: 65), "1/2/3/4/5/6/7/8/9",
  ])
  func whatIsNoTopicIsRefused(text: String) {
    #expect(throws: ConsoleError.self) { try Setting.mqttPrefix.declaration.read([text]) }
    #expect(throws: ConsoleError.self) { try Setting.mqttDiscovery.declaration.read(["a/b"]) }
  }

  // MARK: Commands

  private func judge(_ line: String) -> MQTTCommandGate.Verdict {
    var gate = MQTTCommandGate()
    return gate.admit(Array(line.utf8), isRetained: false, waiting: 0, at: 0)
  }

  @Test func whatPlaysAndAsksIsLetThrough() {
    let given: [(line: String, command: Command, mayWait: Bool)] = [
      ("play", .play(path: nil), false), ("play \"a b\"", .play(path: "a b"), true),
      (
        "announce https://example.org/a.mp3 volume 50",
        .announce(path: "https://example.org/a.mp3", volume: 50, .decibels(12)), true
      ),
      ("queue add a", .queue(.add(paths: ["a"])), true), ("queue jump id:3", .queue(.jump(.id(3))), false),
    ]
    for (line, command, mayWait) in given {
      #expect(judge(line) == .give(command), "\(line)")
      #expect((command.properties.reply == .mayWait) == mayWait, "\(line)")
    }
  }

  /// The box reads what is sent for a line as what the line says.
  @Test func whatIsLetThroughIsSentAsItIs() throws {
    var count = 0
    for declaration in Interpreter.commands {
      for example in declaration.examples + declaration.aliases {
        guard case .give(let command) = judge(example) else { continue }
        #expect(try Interpreter.parse(command.line) == Interpreter.parse(example), "\(example)")
        count += 1
      }
    }
    #expect(count > 60)
    // As many words as a line has.
    let most = "add" + String(repeating: " a", count: 63)
    guard case .give(let command) = judge(most) else { throw Unexpected() }
    #expect(try Interpreter.parse(command.line) == Interpreter.parse(most))
  }

  private struct Unexpected: Error {}

  /// All examples of all commands are permitted or refused according to their chapter.
  @Test func whatSetsTheBoxUpIsNot() throws {
    let forbidden = [
      "set", "unset", "cycle", "save", "show", "diff", "bind", "unbind", "button", "knob", "led", "panel",
      "timing", "remove",
      "board", "controls", "simulate", "watch", "idle", "format", "pin", "exit", "help", "report", "log",
      "shutdown", "standby",
      "wake", "interruption", "power-failing", "crossfade", "curve", "loudness", "test",
    ]
    var count = 0
    for declaration in Interpreter.commands {
      for example in declaration.examples where forbidden.contains(String(example.split(separator: " ")[0])) {
        guard case .refuse = judge(example) else {
          Issue.record("'\(example)' was let through")
          continue
        }
        count += 1
      }
    }
    #expect(count > 40)
  }

  @Test(arguments: [
    "", "#", "play\nstop", "play\u{0}", "\u{1B}[2J", "frobnicate", "volume 400", "play \"open",
  ])
  func whatIsNoCommandIsAnswered(line: String) {
    guard case .refuse(let sentence) = judge(line) else {
      Issue.record("let through")
      return
    }
    #expect(!sentence.isEmpty)
  }

  @Test func tooManyAreDroppedWithAWord() {
    var gate = MQTTCommandGate()
    var verdicts: [MQTTCommandGate.Verdict] = []
    for _ in 0..<1000 {
      verdicts.append(gate.admit(Array("next".utf8), isRetained: false, waiting: 0, at: 5))
    }
    #expect(verdicts.filter { $0 == .give(.next) }.count == MQTTCommandGate.burst)
    #expect(verdicts.filter { $0 == .drop }.count == 979 && gate.dropped == 980)
    // In the long run the rate is limited to a number per second.
    var given = 0
    for turn in 1...10_000 {
      let now = UInt64(turn) * 10_000_000
      if case .give = gate.admit(Array("next".utf8), isRetained: false, waiting: 0, at: now) { given += 1 }
    }
    #expect((990...1001).contains(given))
    #expect(
      gate.admit(Array("next".utf8), isRetained: false, waiting: 16, at: 200_000_000_000)
        != .give(.next))
  }

  @Test func answersAreBounded() throws {
    var row = BoxFields()
    row.add(BoxField(name: "title", value: Self.evil + String(repeating: "x", count: 500)))
    let document = MQTTAnswer.document(
      Array(repeating: 0x41, count: 5000), .done(row, rows: Array(repeating: row, count: 1000)))
    let answer = try object(document)
    let rows = try #require(answer["rows"] as? [Any])
    #expect(document.count < 40_000 && rows.count > 10 && answer["left-off"] as? Int == 1000 - rows.count)
    #expect((answer["command"] as? String)?.count == 200)
    #expect(
      try object(MQTTAnswer.document([0xFF, 0x22], .refused(Self.evil)))["error"] as? String == Self.evil)
    #expect(try object(MQTTAnswer.document([], .gone))["ok"] as? Bool == false)
  }
}
