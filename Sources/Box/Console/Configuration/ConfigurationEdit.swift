// A configuration file as `save` changes it: what it does not have to change stays as someone wrote it. Pure.

extension ConfigurationBase {
  /// A file that makes these settings and controls, out of the one that is there. Comments, blank lines, commands for the
  /// start and lines that are not understood stay where they are, and so does every line that is still right; a setting's
  /// line is changed in its place, and what is new comes last.
  ///
  /// - Parameter profile: Finds a board's profile by its name.
  package func edited(
    _ old: [UInt8], _ settings: Settings, _ controls: ControlTable,
    profile: @escaping @Sendable (String) -> [UInt8]?
  ) -> [UInt8] {
    let plain = configuration(settings, controls)
    guard old.contains(where: { $0 > 0x20 }) else { return Array(plain.utf8) }
    // Lines that bind and unbind depend on their order: where they came out otherwise, they are written anew.
    for keepsControls in [true, false] {
      let text = merged(old, plain, settings, keepsControls: keepsControls)
      let read = Configuration(text, profile: profile)
      if read.settings == settings, read.controls.lines == controls.lines { return text }
    }
    return Array(plain.utf8)
  }

  /// The lines of `old` that may stay, with those of `plain` that it lacks.
  private func merged(
    _ old: [UInt8], _ plain: String, _ settings: Settings, keepsControls: Bool
  ) -> [UInt8] {
    var missing: [(line: String, command: Command)] = []
    for line in plain.split(separator: "\n") {
      if let command = try? Interpreter.parse(String(line)) { missing.append((String(line), command)) }
    }
    var lines: [[UInt8]] = []
    var kept: Set<Setting> = []
    let right = Self.settingsWithRightLine(in: old, settings)
    for bytes in old.split(separator: 0x0A, omittingEmptySubsequences: false) {
      let line = Array(bytes)
      guard let command = try? Interpreter.parse(line), Self.isSaved(command) else {
        // A value that was not possible makes room for the one that a person has set since.
        if let setting = Self.settingWithWrongValue(line), !right.contains(setting),
          let place = missing.firstIndex(where: { Self.setting(of: $0.command) == setting })
        {
          lines.append(Array(missing.remove(at: place).line.utf8))
        } else {
          lines.append(line)
        }
        continue
      }
      if !keepsControls, case .controls = command { continue }
      // A board without a profile, perhaps misspelt: a person has to see it again.
      if case .board = command, board == nil {
        lines.append(line)
        continue
      }
      // A line that is right stays as a person wrote it, also one that says what is the default.
      if let setting = Self.setting(of: command), Self.isRight(command, settings),
        kept.insert(setting).inserted
      {
        missing.removeAll { Self.setting(of: $0.command) == setting }
        lines.append(line)
        continue
      }
      if let place = missing.firstIndex(where: { $0.command == command }) {
        missing.remove(at: place)
        lines.append(line)
      } else if let setting = Self.setting(of: command),
        let place = missing.firstIndex(where: { Self.setting(of: $0.command) == setting })
      {
        lines.append(Array(missing.remove(at: place).line.utf8))
      }
    }
    while lines.last?.isEmpty == true { lines.removeLast() }
    // The board comes first, as one would write it.
    if let place = missing.firstIndex(where: { if case .board = $0.command { true } else { false } }) {
      lines.insert(Array(missing.remove(at: place).line.utf8), at: 0)
    }
    lines += missing.map { Array($0.line.utf8) }
    return CardConfiguration.text(lines)
  }

  /// The settings of which a line has the value that holds.
  private static func settingsWithRightLine(in file: [UInt8], _ settings: Settings) -> Set<Setting> {
    var found: Set<Setting> = []
    for line in file.split(separator: 0x0A) {
      guard let command = try? Interpreter.parse(Array(line)), let setting = setting(of: command) else {
        continue
      }
      if isRight(command, settings) { found.insert(setting) }
    }
    return found
  }

  /// The setting of a line `set KEY VALUE` that is skipped because of its value.
  private static func settingWithWrongValue(_ line: [UInt8]) -> Setting? {
    guard let words = try? CommandLineText(line).words, words.count >= 2,
      Spelling.small(words[0].text) == "set"
    else { return nil }
    do throws(ConsoleError) {
      _ = try Interpreter.parse(line)
      return nil
    } catch {
      return Setting(key: words[1].text)
    }
  }

  /// Whether a line is one that `save` writes.
  private static func isSaved(_ command: Command) -> Bool {
    switch command {
    case .controls(.list), .controls(.simulate): false
    case .board, .controls: true
    default: setting(of: command) != nil
    }
  }

  /// Whether a line makes a setting what it is.
  private static func isRight(_ command: Command, _ settings: Settings) -> Bool {
    switch command {
    case .set(let setting, let value): settings.value(setting) == value
    case .unset(let setting?): settings.isDefault(setting)
    default: false
    }
  }

  private static func setting(of command: Command) -> Setting? {
    switch command {
    case .set(let setting, _), .unset(let setting?), .cycle(let setting): setting
    default: nil
    }
  }
}
