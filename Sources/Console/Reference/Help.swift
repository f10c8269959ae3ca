// What `help` answers, out of the two tables. Pure; control thread.

extension HelpTopic {
  /// The answer to `help` about it.
  package var answer: Answer {
    switch self {
    case .overview: Self.overviewAnswer
    case .settings: Self.settingsAnswer
    case .events: Self.eventsAnswer
    case .setting(let setting): Self.about(setting.declaration)
    case .command(let words): Self.commands(words)
    }
  }

  private static var overviewAnswer: Answer {
    var rows: [Row] = []
    for group in CommandGroup.allCases {
      rows.append(Row(group.title + ":"))
      for declaration in CommandTable.declarations where declaration.group == group {
        rows.append(line(declaration))
      }
    }
    return Answer(
      "'help COMMAND' and 'help KEY' show more; 'help settings' lists the settings, 'help events' the events",
      rows: rows)
  }

  private static func line(_ declaration: CommandDeclaration) -> Row {
    Row(
      "  " + padded(declaration.usage, 31) + declaration.summary,
      [
        Field("command", declaration.name), Field("usage", declaration.usage),
        Field("summary", declaration.summary),
      ])
  }

  private static func commands(_ words: [String]) -> Answer {
    var rows: [Row] = []
    let matching = CommandTable.declarations.filter { $0.spellings[0].starts(with: words) }
    if matching.count > 1 {
      rows = matching.map { line($0) }
      return Answer("'help " + matching[1].name + "' shows more", rows: rows)
    }
    for declaration in matching {
      rows.append(line(declaration))
      if !declaration.details.utf8.isEmpty { rows.append(Row("  " + declaration.details)) }
      for argument in declaration.arguments {
        rows.append(Row("  " + padded(argument.usage, 31) + argument.wanted))
        for source in argument.sources {
          guard case .words(let choices) = source else { continue }
          for choice in choices where !choice.help.utf8.isEmpty {
            rows.append(Row("    " + padded(choice.name, 29) + choice.help))
          }
        }
      }
      if !declaration.aliases.isEmpty {
        rows.append(Row("  also: " + SettingKind.joined(declaration.aliases, by: ", ")))
      }
      for example in declaration.examples { rows.append(Row("  example: " + example)) }
    }
    return Answer(rows: rows)
  }

  private static var settingsAnswer: Answer {
    Answer(
      "'help KEY' shows more",
      rows: SettingTable.declarations.map { declaration in
        Row(
          padded(declaration.key, 27) + declaration.help,
          [
            Field("key", declaration.key), Field("wanted", declaration.wanted),
            Field("default", declaration.defaultText), Field("help", declaration.help),
          ])
      })
  }

  private static var eventsAnswer: Answer {
    var rows: [Row] = []
    for declaration in EventTable.declarations {
      rows.append(
        Row(
          padded(declaration.subject.name, 10) + declaration.summary,
          [Field("event", declaration.subject.name), Field("summary", declaration.summary)]))
      for field in declaration.fields {
        rows.append(
          Row(
            "  " + padded(field.name, 14) + field.meaning + (field.isOptional ? " (not always)" : ""),
            [
              Field("event", declaration.subject.name), Field("field", field.name),
              Field("meaning", field.meaning), Field("optional", field.isOptional),
            ]))
      }
    }
    var common = ""
    for field in EventTable.common {
      common += (common.utf8.isEmpty ? "" : "; ") + field.name + ": " + field.meaning
    }
    return Answer("every event but 'position' begins with " + common, rows: rows)
  }

  private static func about(_ declaration: SettingDeclaration) -> Answer {
    var rows = [Row(declaration.help)]
    if case .choice(let choices) = declaration.kind {
      for choice in choices where !choice.help.utf8.isEmpty {
        rows.append(Row("  " + padded(choice.name, 15) + choice.help))
      }
    }
    if let special = declaration.special {
      rows.append(Row("  " + padded(special.name, 15) + special.help))
    }
    return Answer(
      fields: [
        Field("key", declaration.key), Field("wants", declaration.wanted),
        Field("default", declaration.defaultText), Field("takes-effect", declaration.application.name),
      ], rows: rows)
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.utf8.count))
  }
}

extension SettingDeclaration.Application {
  /// For people.
  package var name: String {
    switch self {
    case .atOnce: "at once"
    case .atNextStart: "at the next start"
    }
  }
}
