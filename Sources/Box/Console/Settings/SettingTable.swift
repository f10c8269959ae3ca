// The settings table, with one entry per setting in the order of `Setting`. Pure; any thread.

enum SettingTable {
  /// The entries, indexed by the raw value of their `Setting`.
  static let declarations: [SettingDeclaration] = {
    let all = sound + playing + access + mqtt + box
    precondition(all.count == Setting.allCases.count, "the table does not have one line for each Setting")
    for (i, declaration) in all.enumerated() {
      precondition(Int(declaration.setting.rawValue) == i, "the table is not in the order of Setting")
    }
    return all
  }()

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
