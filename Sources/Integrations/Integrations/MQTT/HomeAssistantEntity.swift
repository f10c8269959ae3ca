// The Home Assistant entities of a box (sensors, numbers, switches, buttons, an event) and their MQTT discovery
// documents. Pure; any thread.

import Console
import PlaybackModel

/// A Home Assistant entity, or the box's tag scanner.
package struct HomeAssistantEntity: Hashable, Sendable {
  /// The component in Home Assistant's terms, such as `sensor`.
  let component: String
  /// The entity's key in topics and in its unique id.
  let key: String
  /// The specific fields of the discovery document.
  let fields: [Field]
  /// A list in the discovery document; nil for none.
  let list: (name: String, words: [String])?
  /// Whether it is an entity with a name and a state; false for the tag scanner.
  let isEntity: Bool

  private init(
    _ component: String, _ key: String, _ name: String, icon: String, _ fields: [Field],
    list: (name: String, words: [String])? = nil
  ) {
    self.component = component
    self.key = key
    self.fields = [Field("name", name), Field("icon", "mdi:" + icon)] + fields
    self.list = list
    isEntity = true
  }

  /// Home Assistant's tag scanner, by which scanned tags can trigger automations. Not an entity.
  private init(tagsAt topics: MQTTTopics) {
    component = "tag"
    key = "scanned"
    fields = [Field("topic", topics.tag), Self.value("tag")]
    list = nil
    isEntity = false
  }

  package static func == (one: HomeAssistantEntity, other: HomeAssistantEntity) -> Bool {
    one.component == other.component && one.key == other.key
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(component)
    hasher.combine(key)
  }

  /// All entities of a box with the given presets.
  static func all(_ topics: MQTTTopics, presets: [String]) -> [HomeAssistantEntity] {
    always(topics) + presets.map { preset($0, topics) }
  }

  /// A button that plays one of the box's playlists.
  static func preset(_ name: String, _ topics: MQTTTopics) -> HomeAssistantEntity {
    HomeAssistantEntity(
      "button", MQTTTopics.preset(name), name, icon: "playlist-play",
      [
        Field("command_topic", topics.command),
        Field("payload_press", Command.play(path: PlaylistName.scheme + name).line),
      ])
  }

  private static func always(_ topics: MQTTTopics) -> [HomeAssistantEntity] {
    sensors(topics) + diagnostics(topics) + controls(topics) + buttons(topics) + [
      HomeAssistantEntity(
        "event", "alarm", "Alarm", icon: "alarm", [Field("state_topic", topics.alarm)],
        list: ("event_types", ["rings", "snoozed", "over"])),
      HomeAssistantEntity(tagsAt: topics),
    ]
  }

  private static func value(_ name: String) -> Field {
    Field("value_template", "{{ value_json." + name + " }}")
  }

  private static func sensors(_ topics: MQTTTopics) -> [HomeAssistantEntity] {
    let texts = [
      ("state", "State", "speaker"), ("title", "Title", "music-note"), ("artist", "Artist", "account-music"),
      ("album", "Album", "album"), ("next_alarm", "Next alarm", "alarm"), ("tag", "Tag", "nfc-variant"),
      ("limit", "Limit", "sign-caution"),
    ].map { key, name, icon in
      HomeAssistantEntity("sensor", key, name, icon: icon, [Field("state_topic", topics.state), value(key)])
    }
    let times = [
      ("position", "Position", topics.position, "progress-clock"),
      ("length", "Length", topics.state, "clock-outline"),
    ].map { key, name, topic, icon in
      HomeAssistantEntity(
        "sensor", key, name, icon: icon,
        [
          Field("state_topic", topic), value(key), Field("device_class", "duration"),
          Field("unit_of_measurement", "s"),
        ])
    }
    return texts + times + [
      HomeAssistantEntity(
        "sensor", "minutes_left", "Minutes left today", icon: "timer-sand",
        [Field("state_topic", topics.state), value("minutes_left"), Field("unit_of_measurement", "min")])
    ]
  }

  private static func diagnostics(_ topics: MQTTTopics) -> [HomeAssistantEntity] {
    let isDiagnostic = Field("entity_category", "diagnostic")
    let texts = [("output", "Output", "audio-video"), ("error", "Error", "alert-circle-outline")].map {
      key, name, icon in
      HomeAssistantEntity(
        "sensor", key, name, icon: icon, [Field("state_topic", topics.state), value(key), isDiagnostic])
    }
    let counters = [
      ("xruns", "Underruns"), ("rewinds", "Rewinds"), ("failed_tracks", "Failed tracks"),
      ("worker_crashes", "Crashed decoders"), ("power_ons", "Power-ons"),
    ].map { key, name in
      HomeAssistantEntity(
        "sensor", key, name, icon: "counter",
        [
          Field("state_topic", topics.diagnostics), value(key), Field("state_class", "total_increasing"),
          isDiagnostic,
        ])
    }
    return texts + counters + [
      HomeAssistantEntity(
        "sensor", "started", "Started", icon: "power",
        [
          Field("state_topic", topics.diagnostics), value("started"), Field("device_class", "timestamp"),
          isDiagnostic,
        ])
    ]
  }

  private static func controls(_ topics: MQTTTopics) -> [HomeAssistantEntity] {
    let both = [Field("state_topic", topics.state), Field("command_topic", topics.command)]
    return [
      HomeAssistantEntity(
        "number", "volume", "Volume", icon: "volume-high",
        both + [
          value("volume"), Field("command_template", "volume {{ value | int }}"), Field("min", 0),
          Field("max", 100), Field("step", 1), Field("unit_of_measurement", "%"),
        ]),
      HomeAssistantEntity(
        "number", "sleep", "Sleep timer", icon: "timer-outline",
        both + [
          value("sleep"),
          Field(
            "command_template", "sleep {% if value | int > 0 %}{{ value | int }}{% else %}off{% endif %}"),
          Field("min", 0), Field("max", 1440), Field("step", 1), Field("mode", "box"),
          Field("unit_of_measurement", "min"),
        ]),
      HomeAssistantEntity(
        "select", "sleep_after", "Stop after", icon: "stop-circle-outline",
        both + [value("sleep_after"), Field("command_template", "sleep {{ value }}")],
        list: ("options", ["off", "track", "queue"])),
      HomeAssistantEntity(
        "switch", "shuffle", "Shuffle", icon: "shuffle-variant",
        both + [
          value("shuffle"), Field("payload_on", "queue shuffle on"),
          Field("payload_off", "queue shuffle off"), Field("state_on", "on"), Field("state_off", "off"),
        ]),
      HomeAssistantEntity(
        "select", "repeat", "Repeat", icon: "repeat",
        both + [value("repeat"), Field("command_template", "queue repeat {{ value }}")],
        list: ("options", ["off", "one", "all"])),
    ]
  }

  private static func buttons(_ topics: MQTTTopics) -> [HomeAssistantEntity] {
    [
      ("play", "play", "Play", "play"), ("pause", "pause", "Pause", "pause"),
      ("toggle", "toggle", "Play or pause", "play-pause"), ("stop", "stop", "Stop", "stop"),
      ("next", "next", "Next", "skip-next"), ("previous", "previous", "Previous", "skip-previous"),
      ("mute", "mute", "Mute", "volume-mute"), ("snooze", "snooze", "Snooze", "alarm-snooze"),
      ("alarm_stop", "alarm stop", "Stop the alarm", "alarm-off"), ("retry", "retry", "Retry", "refresh"),
    ].map { key, line, name, icon in
      HomeAssistantEntity(
        "button", key, name, icon: icon,
        [Field("command_topic", topics.command), Field("payload_press", line)])
    }
  }
}

/// The documents of Home Assistant's MQTT discovery (see its documentation, "MQTT", "MQTT discovery").
package enum MQTTDiscovery {
  /// The discovery documents with their topics; empty if discovery is disabled.
  package static func documents(
    _ options: MQTTOptions, presets: [String]
  ) -> [(topic: String, payload: [UInt8])] {
    let topics = MQTTTopics(options)
    return HomeAssistantEntity.all(topics, presets: presets).compactMap { told($0, topics, options) }
  }

  /// The discovery document of a preset; nil if discovery is disabled.
  static func preset(_ name: String, _ options: MQTTOptions) -> (topic: String, payload: [UInt8])? {
    let topics = MQTTTopics(options)
    return told(HomeAssistantEntity.preset(name, topics), topics, options)
  }

  /// Whether a topic belongs to a present entity. While the presets are unknown (nil), any preset's topic does.
  static func isTold(_ topic: String, _ options: MQTTOptions, presets: [String]?) -> Bool {
    let topics = MQTTTopics(options)
    if presets == nil, let some = topics.document("button", MQTTTopics.presetMark),
      topic.utf8.starts(with: some.utf8.dropLast("/config".utf8.count))
    {
      return true
    }
    return HomeAssistantEntity.all(topics, presets: presets ?? []).contains {
      topics.document($0.component, $0.key) == topic
    }
  }

  private static func told(
    _ thing: HomeAssistantEntity, _ topics: MQTTTopics, _ options: MQTTOptions
  ) -> (topic: String, payload: [UInt8])? {
    topics.document(thing.component, thing.key).map { ($0, document(thing, topics, options)) }
  }

  private static func document(_ thing: HomeAssistantEntity, _ topics: MQTTTopics, _ options: MQTTOptions)
    -> [UInt8]
  {
    var writer = JSONWriter()
    for field in thing.fields { writer.add(field.name, field.value) }
    if let list = thing.list {
      writer.beginList(list.name)
      for word in list.words { writer.addElement(word) }
      writer.endList()
    }
    if thing.isEntity {
      writer.add("unique_id", .text(options.node + "_" + thing.key))
      writer.add("availability_topic", .text(topics.availability))
      writer.add("payload_available", .text("online"))
      writer.add("payload_not_available", .text("offline"))
    }
    writer.add(
      "device",
      [
        Field("identifiers", options.node), Field("name", options.name), Field("manufacturer", "Swiftlet"),
        Field("model", "Speaker box"), Field("sw_version", options.version),
      ])
    writer.add("origin", [Field("name", "Swiftlet"), Field("sw_version", options.version)])
    return writer.finished
  }
}
