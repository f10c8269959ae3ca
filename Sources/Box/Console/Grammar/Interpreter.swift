// Parses a line into a command. Pure; any thread.

/// The parser of the console language, shared by console, control socket, configuration file and button
/// bindings.
package enum Interpreter {
  /// All commands, by chapter, for help and reference.
  package static var commands: [CommandDeclaration] { CommandTable.declarations }

  /// Parses a line, without its line end.
  ///
  /// - Returns: The command; nil for a blank line or a comment.
  /// - Throws: The reason why the line is invalid.
  package static func parse(_ line: [UInt8]) throws(ConsoleError) -> Command? {
    do throws(ConsoleError) {
      let words = try CommandLineText(line).words
      do throws(ConsoleError) {
        return try parse(words: words)
      } catch {
        throw LookalikeCharacter.error(error, in: words) ?? error
      }
    } catch {
      throw SecretLine.masked(error, about: line)
    }
  }

  /// Parses a line given as a string.
  package static func parse(_ line: String) throws(ConsoleError) -> Command? {
    try parse(Array(line.utf8))
  }

  /// Parses words that are already separate, such as a program's arguments (`swiftlet ctl seek +10`).
  ///
  /// - Throws: The reason why they are no valid command; also for a word with control characters.
  package static func parse(arguments: [String]) throws(ConsoleError) -> Command? {
    try parse(CommandLineText.line(of: arguments))
  }

  private static func parse(words: [Word]) throws(ConsoleError) -> Command? {
    guard let first = words.first else { return nil }
    guard let (declaration, count) = declaration(for: words) else {
      throw unknown(words, first)
    }
    var cursor = WordCursor(words, from: count)
    let command: Command
    do throws(ConsoleError) {
      command = try declaration.parse(&cursor)
    } catch {
      guard error.kind == .wrongUsage, error.column == nil else { throw error }
      throw ConsoleError(
        error.kind, declaration.name + ": " + error.sentence + "; usage: " + declaration.usage,
        column: error.column)
    }
    if let extra = cursor.next { throw tooMuch(declaration, words, count, extra) }
    return command
  }

  /// Finds the command with the longest name that `words` begin with, and the number of words in that name.
  static func declaration(for words: [Word]) -> (CommandDeclaration, Int)? {
    // Names have at most three words.
    let typed = words.prefix(3).map { Spelling.small($0.text) }
    var best: (CommandDeclaration, Int)?
    for declaration in CommandTable.declarations {
      for spelling in declaration.spellings
      where spelling.count > best?.1 ?? 0 && typed.starts(with: spelling) {
        best = (declaration, spelling.count)
      }
    }
    return best
  }

  /// The words that can follow `words` in a command's name, without aliases.
  static func names(after words: [String]) -> [String] {
    var found: [String] = []
    for declaration in CommandTable.declarations {
      let spelling = declaration.spellings[0]
      if spelling.count > words.count, spelling.starts(with: words) { found.append(spelling[words.count]) }
    }
    return found
  }

  private static func unknown(_ words: [Word], _ first: Word) -> ConsoleError {
    let verb = Spelling.small(first.text)
    if let error = Setting.withoutCommand(words) { return error }
    let following = CommandTable.verbs.contains(verb) ? names(after: [verb]) : []
    guard !following.isEmpty else {
      return unknownWord(
        "there is no command '" + first.text + "'", inFile: "the line begins with no command", first,
        among: CommandTable.verbsAndAliases, or: "help")
    }
    guard words.count > 1 else {
      return ConsoleError(.wrongUsage, verb + " wants " + SettingKind.joined(following), column: nil)
    }
    return unknownWord(
      "there is no '" + verb + " " + words[1].text + "'",
      inFile: "'" + verb + "' is followed by an unknown word",
      words[1], among: following, or: "help " + verb)
  }

  private static func tooMuch(
    _ declaration: CommandDeclaration, _ words: [Word], _ count: Int, _ extra: Word
  ) -> ConsoleError {
    let name = words[..<count].map { Spelling.small($0.text) }
    let following = names(after: name)
    if following.contains(Spelling.small(extra.text)) {
      // The extra word begins a longer command name.
      let begun = declaration.name + " " + Spelling.small(extra.text)
      let more = names(after: name + [Spelling.small(extra.text)])
      return ConsoleError(.wrongUsage, begun + " needs " + SettingKind.joined(more), column: nil)
    }
    if declaration.arguments.isEmpty, !following.isEmpty {
      return unknownWord(
        "there is no '" + declaration.name + " " + extra.text + "'",
        inFile: "'" + declaration.name + "' is followed by an unknown word", extra, among: following,
        or: "help " + declaration.name)
    }
    let hasPath = declaration.arguments.contains { $0.sources.contains(.paths) }
    let advice =
      declaration.name == "reset"
      ? "; 'unset' puts settings back"
      : hasPath ? "; put a path with spaces in quotes" : "; usage: " + declaration.usage
    return ConsoleError(
      .wrongUsage, declaration.name + ": '" + extra.text + "' is one word too many" + advice,
      column: extra.column)
  }

  /// An error about a word that no command has, with the nearest match or the command that lists all.
  private static func unknownWord(
    _ sentence: String, inFile: String, _ word: Word, among names: [String], or help: String
  ) -> ConsoleError {
    let hint = Spelling.hint(word.text, among: names)
    return ConsoleError(
      .unknownCommand, sentence + (hint.utf8.isEmpty ? "; '" + help + "' lists them" : hint),
      inFile: hint.utf8.isEmpty ? inFile + "; " + ConsoleError.page : nil, column: word.column)
  }
}
