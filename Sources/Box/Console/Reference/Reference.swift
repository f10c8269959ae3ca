// Generates docs/reference/console.md, the reference of the console language, from the tables of commands, settings and
// events. Pure; main thread.

/// The content of docs/reference/console.md. A test compares it with the file.
package enum Reference {
  /// The whole page: `swiftlet help --markdown > docs/reference/console.md`.
  package static var markdown: String { introduction + commands + settings + events + closing }

  private static let introduction = """
    # The console language

    <!-- Written by `swiftlet help --markdown`. Change Sources/Box/Console, then write it again. -->

    The serial console, the control socket, `swiftlet ctl`, the configuration file and button bindings all speak this
    language. A configuration file holds what you could type; pressing a button is typing a command.

    ## Lines

    - A line is a command: words separated by spaces, at most \(CommandLineText.maxLineLength) bytes (\(CommandLineText.maxTypedBytes) at a terminal) and \
    \(CommandLineText.maxWords) words, in UTF-8, without control characters.
    - `"…"` and `'…'` quote words with spaces; `\\` makes the next character literal, also in quotes.
    - `#` at the start of a word begins a comment.
    - Case does not matter in names of commands, settings and choices. A path in another case is found if only one name
      matches; values of `find` are compared exactly.

    ## Answers

    In text, every answer ends with one line that begins with `ok` or with `error:`; the lines before it, if any, begin
    with two spaces. Unrequested lines (the log, events) begin with `* ` and come between answers; on a serial
    console also between the pages of a long one.

    ```
    > show fade
      fade.length        5 s
      …
    ok
    > seek 1:75
    error: '1:75' is not a position such as 90, 1:30 or 25%, or a distance such as +10 or -0:30
    ```

    After `format json`, every answer is one object on one line: `{"ok":true,"message":…,"fields":{…},"rows":[…]}`, with
    only `ok` always present, or `{"ok":false,"error":"…","kind":"…","column":…}`. `report` sends
    each of its lines as an object with `event` before that object. Unrequested lines have `event` instead of `ok`.
    A list that would make an answer longer than \(Reply.maxLength / 1024) KiB is cut; `left-off` says
    how many entries are missing. Kinds of errors: \(kinds).

    ## Configuration file

    At most \(Configuration.maxFileBytes / 1024) KiB and \(Configuration.maxLines) lines. An invalid line is logged with
    its number and skipped. Settings apply first; the other commands run in order once the box has started. `save` writes
    settings, controls and sources that differ from the defaults or the board's profile, and keeps the other lines of the file.


    """

  private static var kinds: String {
    SettingKind.joined(ConsoleError.Kind.allCases.map { "`" + $0.name + "`" }, by: ", ")
  }

  private static var commands: String {
    var text = "## Commands\n"
    for group in CommandGroup.allCases {
      text += "\n### " + group.title + "\n"
      for declaration in CommandTable.declarations where declaration.group == group {
        text += "\n#### `" + declaration.usage + "`\n\n" + declaration.summary
        if !declaration.details.utf8.isEmpty { text += " " + declaration.details }
        text += "\n"
        for argument in declaration.arguments {
          text += "\n- `" + argument.name + "`: " + argument.wanted + "."
        }
        if !declaration.aliases.isEmpty {
          text += "\n- Also " + SettingKind.joined(declaration.aliases.map { "`" + $0 + "`" }) + "."
        }
        text +=
          "\n- Example: " + SettingKind.joined(declaration.examples.map { "`" + $0 + "`" }, by: ", ") + "\n"
      }
    }
    return text
  }

  private static var settings: String {
    var text =
      "\n## Settings\n\n`set KEY VALUE` changes a setting, `unset KEY` restores its default, `show` shows them.\n"
    text += "A change takes effect at once. The exceptions are marked:"
    for application in SettingDeclaration.Application.allCases where application != .atOnce {
      text += " " + application.mark + " " + application.name + (application == .atNextStart ? "" : ",")
    }
    text += ".\n"
    for group in SettingTable.groups {
      text += "\n### " + group + "\n\n| key | value | default | |\n|---|---|---|---|\n"
      for declaration in SettingTable.declarations where declaration.group == group {
        let application = declaration.application
        let mark = application == .atOnce ? "" : " " + application.mark
        var help = declaration.help
        if case .choice(let choices) = declaration.kind {
          for choice in choices where !choice.help.utf8.isEmpty {
            help += " `" + choice.name + "`: " + choice.help + "."
          }
        }
        if let special = declaration.special { help += " `" + special.name + "`: " + special.help + "." }
        text +=
          "| `" + declaration.key + "`" + mark + " | " + declaration.wanted + " | `" + declaration.defaultText
          + "` | " + help + " |\n"
      }
    }
    return text
  }

  private static var events: String {
    var text = """

      ## Events

      `watch` sends events as they happen, `idle` waits for one. In text an event is a line `* SUBJECT: …` for people;
      after `format json` it is an object `{"event":"SUBJECT","fields":{…}}`. `idle` answers with rows that hold the
      same fields and the subject as `event`; the last \(EventTable.kept) events are kept for it, and `missed` says how
      many more there were. Fields marked with ? are left out where they do not apply. Every event but `position` begins
      with:

      | field | |
      |---|---|

      """
    func row(_ field: EventField) -> String {
      "| `" + field.name + "`" + (field.isOptional ? " ?" : "") + " | " + field.meaning + " |\n"
    }
    for field in EventTable.common { text += row(field) }
    for declaration in EventTable.declarations {
      text +=
        "\n### `" + declaration.subject.name + "`\n\n" + declaration.summary + "\n\n| field | |\n|---|---|\n"
      for field in declaration.fields { text += row(field) }
    }
    return text
  }

  private static let closing = """

    ## Keys of the line editor

    | key | |
    |---|---|
    | Tab | completes a command, a setting, a value or a path; lists the candidates |
    | arrows, ^B ^F, Alt-B Alt-F | moves by characters, by words |
    | Home End, ^A ^E | moves to the beginning, to the end |
    | up and down, ^P ^N | recalls the last \(LineHistory.limit) lines, except those with a PIN |
    | Backspace, Delete, ^D | deletes a character; ^D on an empty line ends the session |
    | ^K ^U ^W Alt-D | cuts to the end, to the beginning, the previous word, the next word |
    | ^Y | pastes what was cut last |
    | ^T | swaps two characters |
    | ^L | redraws the line |
    | ^C | discards the line |

    """
}

extension SettingDeclaration.Application {
  /// The mark after a key in the settings tables.
  fileprivate var mark: String {
    switch self {
    case .atOnce: ""
    case .forNextTrack: "†"
    case .forNewStreams: "‡"
    case .atNextOutput: "°"
    case .atNextStart: "*"
    }
  }
}
