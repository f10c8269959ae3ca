// What the values of settings name outside the program, for checks that it exists. Pure; any thread.

/// A kind of thing that a setting's value names and that may not exist.
package enum NamedThing: Hashable, Sendable, CaseIterable {
  /// Music in the media roots: a file, a folder, a stored playlist or a URL.
  case music
  /// A sound file, which may be outside the media roots.
  case sound
  /// A file or device that the box opens.
  case file
  /// A folder that the box reads.
  case folder
  /// A file that the box creates in an existing folder.
  case newFile
  /// An output device.
  case output
  /// A button of the box.
  case button
  /// A group of the operating system.
  case group
  /// A time zone of the operating system.
  case timeZone
  /// An address of this machine.
  case address
  /// A machine on the network, which may be switched off now and is not looked up.
  case server

  /// Whether a name that does not exist is refused when it is set. All others are accepted with a warning, because a
  /// disk or a device may be connected later.
  package var isRequired: Bool {
    switch self {
    case .group, .timeZone, .address: true
    case .music, .sound, .file, .folder, .newFile, .output, .button, .server: false
    }
  }
}

/// A name with the kind of thing that it names.
package struct NamedReference: Hashable, Sendable {
  /// The kind of thing.
  package let thing: NamedThing
  /// The name.
  package let name: String

  /// Creates a reference.
  package init(_ thing: NamedThing, _ name: String) {
    self.thing = thing
    self.name = name
  }
}

extension Setting {
  /// What the setting's value names outside the program; nil: nothing.
  package var names: NamedThing? {
    switch self {
    case .alarmFallback, .streamFallback: .music
    case .cuesReady, .cuesErrorFile, .cuesErrorNetwork, .cuesErrorOutput, .cuesErrorStorage,
      .cuesErrorInternal,
      .cuesVolumeLimit, .cuesSleepTimer, .cuesStorage, .cuesStorageWait, .cuesAlarm, .cuesTagUnknown,
      .cuesTagLearnt, .cuesLimit, .cuesNotSaved, .cuesConfiguration:
      .sound
    case .consoleTTY, .mqttCA: .file
    case .mediaRoot, .mediaRemovable: .folder
    // The socket's folder is created.
    case .checkpointPath, .reportPath: .newFile
    case .outputDevice: .output
    case .startSafeButton: .button
    case .socketGroup: .group
    case .clockTimezone: .timeZone
    case .mpdListen: .address
    case .mqttHost, .streamProxy: .server
    default: nil
    }
  }
}

extension Settings {
  /// The names in a setting's value; empty if it names nothing.
  package func references(_ setting: Setting) -> [NamedReference] {
    guard let thing = setting.names else { return [] }
    switch value(setting) {
    case .text(let name): return [NamedReference(thing, name)]
    case .list(let names): return names.map { NamedReference(thing, $0) }
    default: return []
    }
  }
}
