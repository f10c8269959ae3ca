// Rewrites a configuration file for `save`, keeping the user's lines and comments where possible. Pure.

extension ConfigurationBase {
  /// Updates a configuration file so that it yields these settings and controls. Comments, blank lines, start
  /// commands, invalid lines and lines that are still correct stay in place. A changed setting's line is
  /// replaced in place; new lines are appended.
  ///
  /// - Parameters:
  ///   - old: The current file.
  ///   - settings: The settings to save.
  ///   - controls: The controls and bindings to save.
  ///   - profile: Returns a board's profile, or nil for an unknown name.
  /// - Returns: The new file.
  package func edited(
    _ old: [UInt8], _ settings: Settings, _ controls: ControlTable,
    profile: @escaping @Sendable (String) -> [UInt8]?
  ) -> [UInt8] {
    let plain = configuration(settings, controls)
    guard old.contains(where: { $0 > 0x20 }) else { return Array(plain.utf8) }
    // The order of `bind` and `unbind` lines matters. If keeping them gives other controls, they are all
    // rewritten.
    for keepsControls in [true, false] {
      let text = merged(old, plain, settings, keepsControls: keepsControls)
      let read = Configuration(text, profile: profile)
      if read.settings == settings, read.controls.lines == controls.lines { return text }
    }
    return Array(plain.utf8)
  }

  /// Keeps the lines of `old` that are still correct and adds those of `plain` that it lacks.
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
        // A line with an invalid value is replaced by the value that was set since.
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
      // Keep a board without a profile, whose name may be misspelt, so that the error is reported again.
      if case .board = command, board == nil {
        lines.append(line)
        continue
      }
      // A correct line stays as the user wrote it, even if it only sets the default.
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
    // The board is the first line by convention.
    if let place = missing.firstIndex(where: { if case .board = $0.command { true } else { false } }) {
      lines.insert(Array(missing.remove(at: place).line.utf8), at: 0)
    }
    lines += missing.map { Array($0.line.utf8) }
    return CardConfiguration.text(lines)
  }

  /// The settings that have a line with their current value.
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

  /// The setting of a `set KEY VALUE` line that is skipped because its value is invalid.
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

  /// Whether `save` writes lines of this kind.
  private static func isSaved(_ command: Command) -> Bool {
    switch command {
    case .controls(.list), .controls(.simulate): false
    case .board, .controls: true
    default: setting(of: command) != nil
    }
  }

  /// Whether a line gives its setting the current value.
  private static func isRight(_ command: Command, _ settings: Settings) -> Bool {
    if let (setting, value) = command.assignment { return settings.value(setting) == value }
    if case .unset(let setting?) = command { return settings.isDefault(setting) }
    return false
  }

  private static func setting(of command: Command) -> Setting? {
    switch command {
    case .unset(let setting?), .cycle(let setting): setting
    default: command.assignment?.setting
    }
  }
}
