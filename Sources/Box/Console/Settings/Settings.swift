// The values of all settings. A value type; control thread.

/// The values of all settings. Typed accessors are in Settings+Values.swift.
package struct Settings: Hashable, Sendable {
  /// The values, indexed by `Setting.rawValue`; each is of its setting's kind.
  private var values: [SettingValue]

  /// Creates settings with all defaults.
  package init() { values = SettingTable.defaults }

  /// The value of a setting.
  package func value(_ setting: Setting) -> SettingValue { values[Int(setting.rawValue)] }

  /// Sets a value.
  ///
  /// - Throws: `badValue` for a value of the wrong kind or out of range.
  package mutating func set(_ setting: Setting, to value: SettingValue) throws(ConsoleError) {
    let declaration = setting.declaration
    guard declaration.accepts(value) else {
      throw ConsoleError(.badValue, declaration.key + " wants " + declaration.wanted)
    }
    values[Int(setting.rawValue)] = value
  }

  /// Sets a value from a key and command words.
  ///
  /// - Throws: `unknownSetting` or `badValue`, with the nearest key or choice, or the range.
  package mutating func set(_ key: String, _ words: String...) throws(ConsoleError) {
    let setting = try Setting.named(key)
    values[Int(setting.rawValue)] = try setting.declaration.read(words)
  }

  /// Restores a setting's default.
  package mutating func unset(_ setting: Setting) {
    values[Int(setting.rawValue)] = SettingTable.defaults[Int(setting.rawValue)]
  }

  /// Turns all bands of the equaliser off.
  package mutating func clearEqualizer() {
    for band in Setting.equalizer { unset(band) }
  }

  /// The value that `cycle` changes a setting to: its next choice, or the opposite of on or off.
  ///
  /// - Throws: `badValue` for a setting without choices.
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

  /// The settings that differ from their defaults, in the order of the table.
  package var changed: [Setting] { Setting.allCases.filter { !isDefault($0) } }

  /// The settings that differ from `other`, in the order of the table: those to apply after a change.
  package func differences(from other: Settings) -> [Setting] {
    Setting.allCases.filter { value($0) != other.value($0) }
  }

  /// The settings that a selection contains.
  package static func settings(_ selection: SettingSelection) -> [Setting] {
    switch selection {
    case .all: Setting.allCases
    case .group(let group): Setting.allCases.filter { $0.declaration.group == group }
    case .one(let setting): [setting]
    }
  }

  /// The value as command text, quoted where necessary. Secrets are not masked: for files only.
  package func typed(_ setting: Setting) -> String {
    CommandLineText.line(of: setting.declaration.words(value(setting)))
  }

  /// The values of the secret settings that are set: PIN, passwords and proxy.
  package var secrets: [String] {
    Setting.allCases.filter { $0.declaration.isSecret }.compactMap {
      if case .text(let text) = value($0) { text } else { nil }
    }
  }

  /// The value with its unit, as shown to users; secrets are masked.
  package func shown(_ setting: Setting) -> String {
    let declaration = setting.declaration
    let value = value(setting)
    if value == .special { return typed(setting) }
    if declaration.isSecret { return "****" }
    let unit = declaration.kind.unit
    return typed(setting) + (unit.utf8.isEmpty ? "" : unit == "%" ? unit : " " + unit)
  }

  /// The `set` line as shown to users, with a secret masked.
  package func shownLine(_ setting: Setting) -> String {
    "set " + setting.key + " " + (setting.declaration.isSecret ? shown(setting) : typed(setting))
  }

  /// The `set` line for the current value. Secrets are not masked: for files only.
  package func line(_ setting: Setting) -> String { "set " + setting.key + " " + typed(setting) }
}
