// What the MQTT integration is started with, and the topics that follow from it. Values; any thread.

import Platform

/// What the MQTT integration is started with.
package struct MQTTOptions: Hashable, Sendable {
  /// The broker's name or address.
  package var host: String
  /// Its port.
  package var port: Int
  /// Whether the connection is encrypted.
  package var usesTLS = false
  /// The authority's certificate; nil: what the system trusts.
  package var authority: String?
  /// The user at the broker; nil: none.
  package var user: String?
  /// The user's password; nil: none.
  package var password: String?
  /// The topic below which the box's are.
  package var prefix: String
  /// The topic below which Home Assistant looks; nil: it is told nothing.
  package var discovery: String?
  /// What the box is called.
  package var name: String
  /// Sixteen hexadecimal digits that no other box has, and that this one keeps.
  package var identity: String
  /// The program's version.
  package var version: String

  /// Options, all others as they usually are.
  package init(
    host: String, port: Int = 1883, prefix: String, discovery: String? = "homeassistant", name: String,
    identity: String, version: String
  ) {
    self.host = host
    self.port = port
    self.prefix = prefix
    self.discovery = discovery
    self.name = name
    self.identity = identity
    self.version = version
  }

  /// The broker for people: `host:port`.
  package var place: String {
    (host.utf8.contains(0x3A) ? "[" + host + "]" : host) + ":" + String(port)
  }

  /// What the broker knows the connection by.
  package var client: String { "swiftlet-" + identity }

  /// What Home Assistant knows the box by.
  package var node: String { "swiftlet_" + identity }

  /// An identity from the machine's own number, which itself is for nobody else, and the box's name: two boxes may come from one image.
  package static func identity(machine: String, name: String) -> String {
    var hash = StableHash()
    hash.add(machine)
    hash.add(name)
    let digits = String(hash.value, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }

  /// The machine's name as a level of a topic.
  package static func level(_ name: String) -> String {
    let bytes = name.utf8.prefix(48).map { byte -> UInt8 in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: byte
      default: 0x2D
      }
    }
    return bytes.isEmpty ? "box" : String(decoding: bytes, as: UTF8.self)
  }
}

/// The topics of one box.
package struct MQTTTopics: Hashable, Sendable {
  /// `online` or `offline`, retained.
  package let availability: String
  /// What the box does, retained.
  package let state: String
  /// Where in the track it is, retained.
  package let position: String
  /// Counters, retained.
  package let diagnostics: String
  /// What alarms do, when they do.
  package let alarm: String
  /// A tag that has come to a reader, or has gone.
  package let tag: String
  /// A line of the console, for the box.
  package let command: String
  /// What became of it.
  package let answer: String
  /// Where Home Assistant says that it has started; nil where it is told nothing.
  package let birth: String?
  /// Matches every document that was ever retained for this box, below whatever prefix.
  package let documents: String

  private let discovery: String?
  private let node: String

  /// Topics that follow from options.
  package init(_ options: MQTTOptions) {
    let prefix = options.prefix + "/"
    availability = prefix + "availability"
    state = prefix + "state"
    position = prefix + "position"
    diagnostics = prefix + "diagnostics"
    alarm = prefix + "alarm"
    tag = prefix + "tag"
    command = prefix + "command"
    answer = prefix + "answer"
    birth = options.discovery.map { $0 + "/status" }
    discovery = options.discovery
    node = options.node
    documents = "+/+/" + options.node + "/+/config"
  }

  /// Where a thing's document is; nil where Home Assistant is told nothing.
  package func document(_ component: String, _ key: String) -> String? {
    discovery.map { $0 + "/" + component + "/" + node + "/" + key + "/config" }
  }

  /// What the keys of presets begin with.
  static let presetMark = "preset_"

  /// A preset's key, which is the same for a name each time: another name is another button.
  static func preset(_ name: String) -> String {
    var hash = StableHash()
    hash.add(name)
    return presetMark + String(hash.value, radix: 16)
  }

  /// Whether a topic is that of a document of this box, below whatever prefix.
  package func isDocument(_ topic: String) -> Bool {
    let levels = topic.utf8.split(separator: 0x2F, omittingEmptySubsequences: false)
    return levels.count == 5 && levels[2].elementsEqual(node.utf8) && levels[4].elementsEqual("config".utf8)
  }
}
