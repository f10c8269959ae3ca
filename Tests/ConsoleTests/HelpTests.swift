// `help` covers all commands and settings, in lines of at most 80 columns. Test threads.

import Platform
import Testing

@testable import Console

@Suite struct HelpTests {
  private static var topics: [String] {
    ["", "settings", "events", "all"] + CommandGroup.allCases.map { $0.word }
      + CommandTable.declarations.flatMap { [$0.name, $0.spellings[0][0]] + $0.aliases }
      + SettingTable.keys + SettingTable.groups
  }

  private func help(_ topic: String) throws -> String {
    guard case .help(let topic)? = try Interpreter.parse("help " + topic) else { return "" }
    return String(decoding: Reply.ok(topic.answer).rendered(.text), as: UTF8.self)
  }

  @Test func noLineIsTooLongForATerminal() throws {
    for topic in Self.topics {
      for line in try help(topic).split(separator: "\n") {
        #expect(String(line).columns < 80, "help \(topic): \(line)")
      }
    }
  }

  /// The overview fits on one terminal screen, its chapters contain all commands, and no chapter's keyword
  /// hides a command or a group.
  @Test func theOverviewLeadsToEveryCommand() throws {
    let overview = try help("")
    #expect(overview.split(separator: "\n", omittingEmptySubsequences: false).count <= 24, "\(overview)")
    var chapters = ""
    for group in CommandGroup.allCases {
      #expect(try Interpreter.parse("help " + group.word) == .help(.chapter(group)))
      #expect(!CommandTable.declarations.contains { $0.spellings.contains { $0[0] == group.word } })
      #expect(overview.contains(group.word))
      chapters += try help(group.word)
    }
    let all = try help("all")
    for declaration in CommandTable.declarations {
      #expect(
        chapters.contains("  " + declaration.name + " ") && all.contains("  " + declaration.name + " "),
        "\(declaration.name)")
      #expect(overview.contains(declaration.spellings[0][0]))
    }
  }

  @Test func wordsStayWhole() {
    let text = "  KEY     " + (1...40).map { "word\($0)" }.joined(separator: " ")
    let lines = TextWriter.wrapped(text, hanging: 10)
    #expect(lines.count > 3 && lines[1].hasPrefix("          word"))
    #expect(lines.joined(separator: " ").split(separator: " ") == text.split(separator: " "))
  }

  @Test func aGroupOfSettingsIsATopic() throws {
    #expect(try help("fade").contains("fade.manual-length"))
    // A command takes precedence over a group with the same name.
    let queue = try help("queue")
    #expect(queue.contains("queue add") && queue.contains("queue.shuffle"))
  }

  @Test(arguments: [
    ("fadde", "did you mean 'fade'"), ("seak", "did you mean 'seek'"), ("xyzzy", "'help' lists"),
  ])
  func whatThereIsNotIsGuessed(topic: String, hint: String) throws {
    let error = try #require(throws: ConsoleError.self) { try Interpreter.parse("help " + topic) }
    #expect(error.sentence.contains(hint), "\(error.sentence)")
  }

  @Test(arguments: [
    ("ls Jazz", "media Jazz"), ("add a b", "queue add a b"), ("clear", "queue clear"),
    ("shuffle", "cycle queue.shuffle"),
    ("shuffle on", "queue shuffle on"), ("repeat", "cycle queue.repeat"), ("repeat one", "queue repeat one"),
  ]) func habitsOfOtherPlayersWork(typed: String, meant: String) throws {
    let command = try #require(try Interpreter.parse(typed))
    #expect(try Interpreter.parse(meant) == command)
  }
}
