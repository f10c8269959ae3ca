// Parses the arguments of `help` into a topic. Pure; any thread.

extension HelpTopic {
  static func named(_ words: [Word]) throws(ConsoleError) -> HelpTopic {
    guard let first = words.first else { return .overview }
    let names = words.map { Spelling.small($0.text) }
    if names.count == 1 {
      if names[0] == "settings" { return .settings }
      if names[0] == "events" { return .events }
      if names[0] == "all" { return .everything }
      if names[0] == "lights" { return .lights }
      if let setting = Setting(key: names[0]) { return .setting(setting) }
    }
    for declaration in CommandTable.declarations {
      for spelling in declaration.spellings where spelling.starts(with: names) {
        // An alias gives the help of the command's main name.
        return .command(spelling == declaration.spellings[0] ? names : declaration.spellings[0])
      }
    }
    if names.count == 1, let chapter = CommandGroup.allCases.first(where: { $0.word == names[0] }) {
      return .chapter(chapter)
    }
    // A group of settings without a command of the same name.
    if names.count == 1, SettingTable.groups.contains(names[0]) { return .settingGroup(names[0]) }
    let all =
      CommandTable.verbsAndAliases + SettingTable.groups + SettingTable.keys + [
        "settings", "events", "lights", "all",
      ] + CommandGroup.allCases.map { $0.word }
    let hint = Spelling.hint(first.text, among: all)
    throw ConsoleError(
      .badValue,
      "there is no help about '" + first.text + "'"
        + (hint.utf8.isEmpty ? "; 'help' lists the commands" : hint),
      column: first.column)
  }
}
