// The start options of the MQTT integration and the topics derived from them. Values; any thread.

import Platform

/// The start options of the MQTT integration.
package struct MQTTOptions: Hashable, Sendable {
  /// The broker's host name or address.
  package var host: String
  /// The broker's port.
  package var port: Int
  /// Whether to use TLS.
  package var usesTLS = false
  /// Path of the CA certificate; nil: the system's trusted certificates.
  package var authority: String?
  /// The user name; nil: none.
  package var user: String?
  /// The password; nil: none.
  package var password: String?
  /// The prefix of the box's topics.
  package var prefix: String
  /// Home Assistant's discovery prefix; nil: discovery is disabled.
  package var discovery: String?
  /// The box's name.
  package var name: String
  /// Sixteen hexadecimal digits, unique to this box and stable.
  package var identity: String
  /// The program's version.
  package var version: String

  /// Creates options without TLS and credentials.
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

  /// The broker as `host:port`, for messages.
  package var place: String {
    (host.utf8.contains(0x3A) ? "[" + host + "]" : host) + ":" + String(port)
  }

  /// The MQTT client id.
  package var client: String { "swiftlet-" + identity }

  /// The box's node id in Home Assistant.
  package var node: String { "swiftlet_" + identity }

  /// Derives the identity from the machine id, which must not be disclosed, and the box's name, since boxes made from
  /// one image may share the id.
  package static func identity(machine: String, name: String) -> String {
    var hash = StableHash()
    hash.add(machine)
    hash.add(name)
    let digits = String(hash.value, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }

  /// The machine's name as a topic level.
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
  /// The box's state as JSON, retained.
  package let state: String
  /// The position in the track, retained.
  package let position: String
  /// Counters, retained.
  package let diagnostics: String
  /// Alarm events.
  package let alarm: String
  /// NFC tags placed on or removed from a reader.
  package let tag: String
  /// Console commands to the box.
  package let command: String
  /// Answers to commands.
  package let answer: String
  /// Home Assistant's birth message; nil if discovery is disabled.
  package let birth: String?
  /// A filter that matches all discovery documents of this box, under any discovery prefix.
  package let documents: String

  private let discovery: String?
  private let node: String

  /// Derives the topics from options.
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

  /// The topic of an entity's discovery document; nil if discovery is disabled.
  package func document(_ component: String, _ key: String) -> String? {
    discovery.map { $0 + "/" + component + "/" + node + "/" + key + "/config" }
  }

  /// The prefix of presets' keys.
  static let presetMark = "preset_"

  /// The key of a preset, a hash of its name. A renamed playlist gets a new key.
  static func preset(_ name: String) -> String {
    var hash = StableHash()
    hash.add(name)
    return presetMark + String(hash.value, radix: 16)
  }

  /// Whether a topic is that of a discovery document of this box, under any discovery prefix.
  package func isDocument(_ topic: String) -> Bool {
    let levels = topic.utf8.split(separator: 0x2F, omittingEmptySubsequences: false)
    return levels.count == 5 && levels[2].elementsEqual(node.utf8) && levels[4].elementsEqual("config".utf8)
  }
}
