// Settings of MQTT and of Home Assistant. Pure; any thread.

extension SettingTable {
  static let mqtt: [SettingDeclaration] = [
    SettingDeclaration(
      .mqttHost, "mqtt.host", .text(longest: 253), or: Choice("off", "no MQTT"), default: "off",
      "The name or address of the MQTT broker, such as homeassistant.local, where the box publishes what it does and takes commands."
    ),
    SettingDeclaration(
      .mqttPort, "mqtt.port", .integer(1...65535, unit: ""),
      or: Choice("usual", "1883, or 8883 with mqtt.tls"),
      default: "usual", "The broker's port."),
    SettingDeclaration(
      .mqttTLS, "mqtt.tls", .onOff, default: "off",
      "Encrypts the connection to the broker, whose certificate has to be for the name in mqtt.host."),
    SettingDeclaration(
      .mqttCA, "mqtt.ca", .path, or: Choice("system", "those that the system trusts"), default: "system",
      "The file with the authority's certificate that the broker's has to be signed by."),
    SettingDeclaration(
      .mqttUser, "mqtt.user", .text(longest: 128), or: Choice("none", "the broker asks for none"),
      default: "none",
      "The user's name at the broker."),
    SettingDeclaration(
      .mqttPassword, "mqtt.password", .text(longest: 128), or: Choice("none", "the broker asks for none"),
      default: "none", isSecret: true,
      "The user's password at the broker. Without mqtt.tls it is sent over the network unencrypted."),
    SettingDeclaration(
      .mqttPrefix, "mqtt.prefix", .topic(mostLevels: 8),
      or: Choice("host", "swiftlet/ and the machine's name"),
      default: "host",
      "The topic below which everything of this box is: PREFIX/state, PREFIX/command and others."),
    SettingDeclaration(
      .mqttDiscovery, "mqtt.discovery", .topic(mostLevels: 1),
      or: Choice("off", "nothing is published for it"),
      default: "homeassistant",
      "The topic below which Home Assistant looks for things that tell it what they are."),
    SettingDeclaration(
      .mqttName, "mqtt.name", .text(longest: 64), or: Choice("host", "the machine's name"), default: "host",
      "What the box is called in Home Assistant."),
  ]
}

extension Settings {
  /// The MQTT broker's name or address; nil: no MQTT.
  package var mqttHost: String? { text(.mqttHost) }
  /// The broker's port.
  package var mqttPort: Int { integer(.mqttPort) ?? (usesMQTTOverTLS ? 8883 : 1883) }
  /// Whether the connection to the broker uses TLS.
  package var usesMQTTOverTLS: Bool { isOn(.mqttTLS) }
  /// The certificate file of the broker's authority; nil: the system's trusted authorities.
  package var mqttAuthority: String? { text(.mqttCA) }
  /// The user name for the broker; nil: none.
  package var mqttUser: String? { text(.mqttUser) }
  /// The password for the broker; nil: none.
  package var mqttPassword: String? { text(.mqttPassword) }
  /// The prefix of the box's topics; nil: derived from the host name.
  package var mqttPrefix: String? { text(.mqttPrefix) }
  /// The topic prefix of Home Assistant discovery; nil: disabled.
  package var mqttDiscovery: String? { text(.mqttDiscovery) }
  /// The name of the box in Home Assistant; nil: the host name.
  package var mqttName: String? { text(.mqttName) }
}
