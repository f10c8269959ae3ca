// The values of all settings. A value type; control thread.

/// What the box is set to. Named properties (Settings+Values.swift) give the values their types.
package struct Settings: Hashable, Sendable {
  /// At the index of `Setting.rawValue`; each is of its setting's kind.
  private var values: [SettingValue]

  /// The defaults.
  package init() { values = SettingTable.defaults }

  /// The value of a setting.
  package func value(_ setting: Setting) -> SettingValue { values[Int(setting.rawValue)] }

  /// Sets a value. Throws `badValue` for one that is not of the setting's kind or out of its range.
  package mutating func set(_ setting: Setting, to value: SettingValue) throws(ConsoleError) {
    let declaration = setting.declaration
    guard declaration.accepts(value) else {
      throw ConsoleError(.badValue, declaration.key + " wants " + declaration.wanted)
    }
    values[Int(setting.rawValue)] = value
  }

  /// Sets a value by its key, from words as they are typed. Throws `unknownSetting` or `badValue`, with the
  /// nearest key or choice, or the range.
  package mutating func set(_ key: String, _ words: String...) throws(ConsoleError) {
    let setting = try Setting.named(key)
    values[Int(setting.rawValue)] = try setting.declaration.read(words)
  }

  /// Puts a setting back to its default.
  package mutating func unset(_ setting: Setting) {
    values[Int(setting.rawValue)] = SettingTable.defaults[Int(setting.rawValue)]
  }

  /// Turns all bands of the equaliser off.
  package mutating func clearEqualizer() {
    for band in Setting.equalizer { unset(band) }
  }

  /// What `cycle` makes of a setting: its next choice, on for off. Throws `badValue` for a setting that has no
  /// choices.
  package func next(_ setting: Setting) throws(ConsoleError) -> SettingValue {
    let declaration = setting.declaration
    switch declaration.kind {
    case .choice, .onOff: break
    default:
      throw ConsoleError(
        .badValue,
        declaration.key + " has no choices to cycle through; 'set " + declaration.key + "' changes it"
      )
    }
    let current = declaration.words(value(setting))
    let names = declaration.names
    for (i, name) in names.enumerated() where [name] == current {
      return try declaration.read([names[(i + 1) % names.count]])
    }
    return try declaration.read([names[0]])
  }

  /// Whether a setting has its default value.
  package func isDefault(_ setting: Setting) -> Bool {
    value(setting) == SettingTable.defaults[Int(setting.rawValue)]
  }

  /// The settings that differ from their defaults, in the table's order.
  package var changed: [Setting] { Setting.allCases.filter { !isDefault($0) } }

  /// The settings that differ from `other`, in the table's order: what to apply after a change.
  package func differences(from other: Settings) -> [Setting] {
    Setting.allCases.filter { value($0) != other.value($0) }
  }

  /// The settings a selection names.
  package static func settings(_ selection: SettingSelection) -> [Setting] {
    switch selection {
    case .all: Setting.allCases
    case .group(let group): Setting.allCases.filter { $0.declaration.group == group }
    case .one(let setting): [setting]
    }
  }

  /// The value as it would be typed, quoted where it must be. A secret as it is: for files only.
  package func typed(_ setting: Setting) -> String {
    CommandLineText.line(of: setting.declaration.words(value(setting)))
  }

  /// The value for people, with its unit; secrets hidden.
  package func shown(_ setting: Setting) -> String {
    let declaration = setting.declaration
    let value = value(setting)
    if value == .special { return typed(setting) }
    if declaration.isSecret { return "****" }
    let unit = declaration.kind.unit
    return typed(setting) + (unit.utf8.isEmpty ? "" : unit == "%" ? unit : " " + unit)
  }

  /// The line for people who look on: as `line`, with a secret hidden.
  package func shownLine(_ setting: Setting) -> String {
    "set " + setting.key + " " + (setting.declaration.isSecret ? shown(setting) : typed(setting))
  }

  /// The line that sets a setting to what it is. A secret as it is: for files only.
  package func line(_ setting: Setting) -> String { "set " + setting.key + " " + typed(setting) }
}
