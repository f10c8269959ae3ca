// The names of all settings. Pure values; any thread.

/// A setting of the box. Its key, kind, default and help are in its `declaration`.
package enum Setting: UInt8, Hashable, Sendable, CaseIterable {
  case outputDevice, outputRate, outputFormat, outputMode, outputPeriod, outputBuffer, outputMono
  case speakerHighPass
  case eq1, eq2, eq3, eq4, eq5, eq6, eq7, eq8, eq9, eq10
  case loudnessEnabled, loudnessReference
  case volumeStart, volumeMaximum, volumeStep, volumeCurve
  case nightFrom, nightTo, nightMaximum
  case fadeLength, fadeCurve, fadeManualLength, fadeAlbums, fadeQuickFinish
  case pauseRamp, stopFade
  case queueRepeat, queueShuffle, queueEnd, queueBeforeFirst
  case gainMode, gainPreamp, gainClipProtection
  case sleepFade
  case bookmarksMinimumLength
  case streamFallback, streamFallbackAfter, streamSpool, streamStart, streamTimeout, streamProxy,
    streamPrivateRedirects
  case alarmFallback, alarmVolume, alarmMinimum, alarmRise, alarmSnooze
  case knobAcceleration
  case tagsAgain, tagsRemoved, tagsDebounce, tagsResume
  case limitsDaily, limitsQuietFrom, limitsQuietTo, limitsTagsOnly
  case mediaRoot, mediaRemovable, mediaRemovableAction
  case libraryEnabled
  case consoleTTY, consoleBaud, consolePIN
  case socketPath, socketGroup
  case mpdListen, mpdPassword, mpdGuests
  case discoveryEnabled, discoveryName
  case mqttHost, mqttPort, mqttTLS, mqttCA, mqttUser, mqttPassword, mqttPrefix, mqttDiscovery, mqttName
  case checkpointPath, checkpointInterval, checkpointResume
  case startSafeButton
  case updatesAutomatic, updatesTime
  case clockTimezone
  case logLevel
  case reportPath
  case cuesEnabled, cuesVolume
  case cuesReady, cuesErrorFile, cuesErrorNetwork, cuesErrorOutput, cuesErrorStorage, cuesErrorInternal
  case cuesVolumeLimit, cuesSleepTimer, cuesStorage, cuesStorageWait, cuesAlarm
  case cuesTagUnknown, cuesTagLearnt, cuesLimit, cuesNotSaved, cuesConfiguration

  /// The setting's entry in the table.
  package var declaration: SettingDeclaration { SettingTable.declarations[Int(rawValue)] }
  /// The name in commands, such as `fade.length`.
  package var key: String { declaration.key }

  /// Finds a setting by its key, ignoring case.
  package init?(key: String) {
    let small = Spelling.small(key)
    for declaration in SettingTable.declarations where declaration.key == small {
      self = declaration.setting
      return
    }
    return nil
  }

  /// Finds a setting by its key.
  ///
  /// - Throws: `unknownSetting`, with the nearest key.
  static func named(_ key: String, column: Int? = nil) throws(ConsoleError) -> Setting {
    if let setting = Setting(key: key) { return setting }
    if let sign = key.utf8.firstIndex(of: 0x3D), let setting = Setting(key: String(key[..<sign])) {
      throw setting.needsBlank([String(key[key.utf8.index(after: sign)...])], column: column)
    }
    let hint = Spelling.hint(key, among: SettingTable.keys)
    throw ConsoleError(
      .unknownSetting,
      "there is no setting '" + key + "'" + (hint.utf8.isEmpty ? "; 'show' lists them" : hint),
      inFile: hint.utf8.isEmpty ? "there is no setting of that name; " + ConsoleError.page : nil,
      column: column)
  }

  /// An error for a line that begins with a setting in place of a command: `volume.maximum 60`; nil for others.
  static func withoutCommand(_ words: [Word]) -> ConsoleError? {
    guard let first = words.first else { return nil }
    let key = first.text.utf8.prefix { $0 != 0x3D }
    guard let setting = Setting(key: String(decoding: key, as: UTF8.self)) else { return nil }
    var value = words.dropFirst().map { $0.text }
    if key.count < first.text.utf8.count {
      value.insert(String(decoding: first.text.utf8.dropFirst(key.count + 1), as: UTF8.self), at: 0)
    }
    return ConsoleError(
      .unknownCommand, "'" + setting.key + "' is a setting; write " + setting.example(value),
      column: first.column)
  }

  /// An error for an `=` between a setting and its value.
  func needsBlank(_ value: [String], column: Int?) -> ConsoleError {
    ConsoleError(
      .unknownSetting, "a blank stands between a setting and its value, not '='; write " + example(value),
      column: column)
  }

  /// The `set` line with a value in quotation marks, or with VALUE if the value is secret, missing or invalid.
  private func example(_ words: [String]) -> String {
    var value = words.filter { !$0.utf8.isEmpty }
    if value.first == "=" { value.removeFirst() }
    if let first = value.first, first.utf8.first == 0x3D {
      value[0] = String(decoding: first.utf8.dropFirst(), as: UTF8.self)
    }
    let isShown = !declaration.isSecret && (try? declaration.read(value)) != nil
    return "'set " + key + " " + (isShown ? CommandLineText.line(of: value) : "VALUE") + "'"
  }
}

/// An entry of the settings table.
package struct SettingDeclaration: Hashable, Sendable {
  /// The time at which a change takes effect.
  package enum Application: UInt8, Hashable, Sendable, CaseIterable {
    case atOnce
    /// For tracks that are loaded after the change.
    case forNextTrack
    /// For streams that are opened after the change.
    case forNewStreams
    /// When the output is opened next: at the daemon's start, or when it searches for a missing output.
    case atNextOutput
    /// At the daemon's next start.
    case atNextStart
  }

  /// The setting.
  package let setting: Setting
  /// Its name in commands: group, dot, name.
  package let key: String
  /// The kind of its values.
  package let kind: SettingKind
  /// A word that can be used in place of a value, with its meaning.
  package let special: Choice?
  /// The default as command text.
  package let defaultText: String
  /// The time at which a change takes effect.
  package let application: Application
  /// Whether the value is hidden when settings are shown.
  package let isSecret: Bool
  /// A description in one or two sentences.
  package let help: String

  init(
    _ setting: Setting, _ key: String, _ kind: SettingKind, or special: Choice? = nil, default text: String,
    applies application: Application = .atOnce, isSecret: Bool = false, _ help: String
  ) {
    self.setting = setting
    self.key = key
    self.kind = kind
    self.special = special
    self.defaultText = text
    self.application = application
    self.isSecret = isSecret
    self.help = help
  }

  /// The part of the key before the dot.
  package var group: String {
    String(decoding: key.utf8.prefix { $0 != 0x2E }, as: UTF8.self)
  }

  /// A description of valid values, including the special word.
  package var wanted: String {
    guard let special else { return kind.wanted }
    if case .choice = kind { return kind.wanted + " or " + special.name }
    return kind.wanted + ", or " + special.name
  }

  /// The values that completion offers.
  package var names: [String] { kind.names + (special.map { [$0.name] } ?? []) }

  /// Parses a value.
  ///
  /// - Parameter words: The words after the key.
  /// - Throws: An error whose sentence begins with the key and names the range or the nearest choice.
  package func read(_ words: [String]) throws(ConsoleError) -> SettingValue {
    if let special, words.count == 1, Spelling.small(words[0]) == special.name { return .special }
    do throws(ConsoleError) {
      guard !words.isEmpty else { throw ConsoleError(.wrongUsage, "wants " + wanted) }
      let value = try kind.read(words)
      guard fitsALine(value) else {
        throw ConsoleError(.badValue, "would not fit into a line with this value")
      }
      return value
    } catch {
      // Do not repeat the input: it may be a mistyped secret.
      var sentence = key + " " + (isSecret ? "wants " + kind.wanted : error.sentence)
      if let special, error.kind == .badValue {
        sentence +=
          (sentence.utf8.last == 0x3F ? " " : "; ") + "'" + special.name + "' is possible, too"
      }
      throw ConsoleError(error.kind, sentence)
    }
  }

  /// Formats a value as words that `read` parses to the same value.
  package func words(_ value: SettingValue) -> [String] {
    if value == .special { return special.map { [$0.name] } ?? [] }
    return kind.words(value)
  }

  /// Whether a value is valid for this setting.
  func accepts(_ value: SettingValue) -> Bool {
    value == .special ? special != nil : kind.accepts(value) && fitsALine(value)
  }

  /// Whether the `set` line with this value can be parsed again, so that `save` writes no invalid line.
  private func fitsALine(_ value: SettingValue) -> Bool {
    let words = words(value)
    let typed = words.reduce("set " + key) { $0 + " " + CommandLineText.quoted($1) }
    return (try? CommandLineText(Array(typed.utf8)))?.words.count == words.count + 2
  }
}
