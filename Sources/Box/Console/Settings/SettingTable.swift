// The settings table put together: one line a setting, in the order of `Setting`. Pure; any thread.

enum SettingTable {
  /// One line for each `Setting`, at the index of its raw value.
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

  /// The names before the dots, each once, in order.
  static let groups: [String] = {
    var groups: [String] = []
    for declaration in declarations where groups.last != declaration.group {
      groups.append(declaration.group)
    }
    return groups
  }()

  /// All defaults, at the index of the raw value.
  static let defaults: [SettingValue] = declarations.map { declaration in
    // A list of several paths as a default would need the tokenizer; one word is enough so far.
    guard let value = try? declaration.read([declaration.defaultText]) else {
      preconditionFailure("the default in the table is not a value of the setting's kind")
    }
    return value
  }
}
