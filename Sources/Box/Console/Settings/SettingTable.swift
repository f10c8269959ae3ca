// The settings table, with one entry per setting. Pure; any thread.

enum SettingTable {
  /// The entries, indexed by the raw value of their `Setting`.
  static let declarations: [SettingDeclaration] = {
    let all = parts.flatMap { $0 }.sorted { $0.setting.rawValue < $1.setting.rawValue }
    precondition(
      all.map { $0.setting } == Setting.allCases, "each setting has one line in one part of the table")
    return all
  }()

  /// The parts, one for each feature and each group of the player and the box.
  private static let parts: [[SettingDeclaration]] = [
    alarm, bookmarks, box, cues, fades, fallback, index, integrations, limitsOnPlaying, mqtt, output, queue,
    report, sleep, speaker, storage, streams, tagPlaying, updates, volume,
  ]

  /// All keys.
  static let keys: [String] = declarations.map { $0.key }

  /// The distinct groups (the parts before the dots), in order.
  static let groups: [String] = {
    var groups: [String] = []
    for declaration in declarations where groups.last != declaration.group {
      groups.append(declaration.group)
    }
    return groups
  }()

  /// All defaults, indexed by the raw value of their `Setting`.
  static let defaults: [SettingValue] = declarations.map { declaration in
    // A default is a single word; a list of several paths would have to be split first.
    guard let value = try? declaration.read([declaration.defaultText]) else {
      preconditionFailure("the default in the table is not a value of the setting's kind")
    }
    return value
  }
}
