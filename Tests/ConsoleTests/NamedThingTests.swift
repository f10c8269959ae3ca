// Which settings name something outside the program that may not exist. Test threads.

import Console
import Testing

@Suite struct NamedThingTests {
  /// Settings of these kinds that name nothing outside the program, with the reason.
  static let others: [Setting: String] = [
    .socketPath: "its folder is created", .mpdPassword: "a secret", .discoveryName: "the box's own name",
    .mqttUser: "an account of the broker", .mqttPassword: "a secret", .mqttName: "the box's own name",
    .mqttPrefix: "a topic", .mqttDiscovery: "a topic",
  ]

  /// Each path, name and address is checked, or is listed with the reason why it is not.
  @Test(arguments: Setting.allCases) func eachNameIsOfAKind(setting: Setting) {
    let mayName =
      switch setting.declaration.kind {
      case .text, .control, .path, .paths, .timeZone, .address, .output, .topic, .proxy: true
      case .integer, .decimal, .choice, .onOff, .pin, .timeOfDay, .band: false
      }
    if mayName {
      #expect((setting.names == nil) == (Self.others[setting] != nil), "\(setting.key)")
    } else {
      #expect(setting.names == nil, "\(setting.key)")
    }
  }

  @Test(arguments: NamedThing.allCases) func eachKindHasASetting(thing: NamedThing) {
    #expect(Setting.allCases.contains { $0.names == thing })
  }

  @Test func commandsTellWhatTheyName() throws {
    func references(_ line: String) throws -> [NamedReference] {
      try #require(try Interpreter.parse(Array(line.utf8))).references
    }
    #expect(try references("set media.root /a /b") == [.init(.folder, "/a"), .init(.folder, "/b")])
    #expect(try references("set output.device hw:99") == [.init(.output, "hw:99")])
    #expect(try references("set cues.ready /a.wav") == [.init(.sound, "/a.wav")])
    #expect(try references("set cues.ready built-in") == [])
    #expect(try references("alarm 07:00 daily play a") == [.init(.music, "a")])
    #expect(try references("source line alsa plughw:9") == [.init(.output, "plughw:9")])
    #expect(try references("source line fifo /run/x") == [.init(.file, "/run/x")])
  }
}
