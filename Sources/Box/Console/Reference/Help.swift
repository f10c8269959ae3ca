// The answers of `help`, generated from the tables of commands, settings and events. Pure; control thread.

import Platform

extension HelpTopic {
  /// The answer of `help` for this topic.
  package var answer: Answer {
    switch self {
    case .overview: Self.overviewAnswer
    case .chapter(let group): Answer("'help NAME' shows more", rows: Self.lines(of: group))
    case .everything:
      Answer(
        "'help NAME' shows more; 'help settings' and 'help events' list those",
        rows: CommandGroup.allCases.flatMap { Self.lines(of: $0) })
    case .settings: Self.settingsAnswer
    case .events: Self.eventsAnswer
    case .lights: Answer("'status' names the present light", rows: LightReference.rows)
    case .setting(let setting): Self.about(setting.declaration)
    case .settingGroup(let group): Answer("'help KEY' shows more", rows: Self.settings(of: group))
    case .command(let words): Self.commands(words)
    }
  }

  /// The chapters with their verbs, short enough for one terminal page.
  private static var overviewAnswer: Answer {
    let rows = CommandGroup.allCases.map { group in
      var verbs: [String] = []
      for declaration in CommandTable.declarations where declaration.group == group {
        let verb = declaration.spellings[0][0]
        if !verbs.contains(verb) { verbs.append(verb) }
      }
      return Row(
        padded(group.word, 15) + verbs.joined(separator: " "),
        [Field("chapter", group.word), Field("title", group.title)], hanging: 15)
    }
    return Answer(
      "'help CHAPTER' shows more; also 'help NAME', 'help lights', 'help all'", rows: rows)
  }

  private static func lines(of group: CommandGroup) -> [Row] {
    [Row(group.title + ":")] + CommandTable.declarations.filter { $0.group == group }.map { line($0) }
  }

  private static func line(_ declaration: CommandDeclaration) -> Row {
    Row(
      "  " + padded(declaration.usage, 31) + declaration.summary,
      [
        Field("command", declaration.name), Field("usage", declaration.usage),
        Field("summary", declaration.summary),
      ], hanging: 33)
  }

  private static func commands(_ words: [String]) -> Answer {
    var rows: [Row] = []
    let matching = CommandTable.declarations.filter { $0.spellings[0].starts(with: words) }
    if matching.count > 1 {
      rows = matching.map { line($0) } + settings(under: words)
      return Answer("'help " + matching[1].name + "' shows more", rows: rows)
    }
    for declaration in matching {
      rows.append(line(declaration))
      if !declaration.details.utf8.isEmpty { rows.append(Row("  " + declaration.details, hanging: 2)) }
      for argument in declaration.arguments {
        rows.append(Row("  " + padded(argument.usage, 31) + argument.wanted, hanging: 33))
        for source in argument.sources {
          guard case .words(let choices) = source else { continue }
          for choice in choices where !choice.help.utf8.isEmpty {
            rows.append(Row("    " + padded(choice.name, 29) + choice.help, hanging: 33))
          }
        }
      }
      if !declaration.aliases.isEmpty {
        rows.append(Row("  also: " + SettingKind.joined(declaration.aliases, by: ", ")))
      }
      for example in declaration.examples { rows.append(Row("  example: " + example)) }
    }
    return Answer(rows: rows + settings(under: words))
  }

  /// The settings of the group that has the same name as a command.
  private static func settings(under words: [String]) -> [Row] {
    guard words.count == 1, SettingTable.groups.contains(words[0]) else { return [] }
    return [Row("settings:")] + settings(of: words[0])
  }

  private static func settings(of group: String) -> [Row] {
    SettingTable.declarations.filter { $0.group == group }.map { line($0) }
  }

  private static func line(_ declaration: SettingDeclaration) -> Row {
    Row(
      padded(declaration.key, 27) + declaration.help,
      [
        Field("key", declaration.key), Field("wanted", declaration.wanted),
        Field("default", declaration.defaultText), Field("help", declaration.help),
      ], hanging: 27)
  }

  private static var settingsAnswer: Answer {
    Answer("'help KEY' shows more", rows: SettingTable.declarations.map { line($0) })
  }

  private static var eventsAnswer: Answer {
    var rows: [Row] = []
    for declaration in EventTable.declarations {
      rows.append(
        Row(
          padded(declaration.subject.name, 10) + declaration.summary,
          [Field("event", declaration.subject.name), Field("summary", declaration.summary)], hanging: 10))
      for field in declaration.fields {
        rows.append(
          Row(
            "  " + padded(field.name, 14) + field.meaning + (field.isOptional ? " (not always)" : ""),
            [
              Field("event", declaration.subject.name), Field("field", field.name),
              Field("meaning", field.meaning), Field("optional", field.isOptional),
            ], hanging: 16))
      }
    }
    var common = ""
    for field in EventTable.common {
      common += (common.utf8.isEmpty ? "" : "; ") + field.name + ": " + field.meaning
    }
    rows.append(Row("Every event but 'position' begins with " + common + ".", hanging: 2))
    return Answer(rows: rows)
  }

  private static func about(_ declaration: SettingDeclaration) -> Answer {
    var rows = [Row(declaration.help, hanging: 0)]
    if case .choice(let choices) = declaration.kind {
      for choice in choices where !choice.help.utf8.isEmpty {
        rows.append(Row("  " + padded(choice.name, 15) + choice.help, hanging: 17))
      }
    }
    if let special = declaration.special {
      rows.append(Row("  " + padded(special.name, 15) + special.help, hanging: 17))
    }
    return Answer(
      fields: [
        Field("key", declaration.key), Field("wants", declaration.wanted),
        Field("default", declaration.defaultText), Field("takes-effect", declaration.application.name),
      ], rows: rows)
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.columns))
  }
}

extension SettingDeclaration.Application {
  /// The time of taking effect in words, to follow "takes effect".
  package var name: String {
    switch self {
    case .atOnce: "at once"
    case .forNextTrack: "with the next track"
    case .forNewStreams: "for streams that are opened afterwards"
    case .atNextOutput: "when the output is opened next"
    case .atNextStart: "at the next start"
    }
  }
}
