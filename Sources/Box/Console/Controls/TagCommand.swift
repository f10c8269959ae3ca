// What can be said about tags. Pure values; control thread.

import PlaybackModel

/// A command and how it is typed, for what is kept and carried out later.
package struct TypedCommand: Hashable, Sendable {
  /// The most bytes of a line that a tag carries out.
  package static let maxLength = 512

  /// The command.
  package let command: Command
  /// As it is typed.
  package let line: String

  /// A line that a tag may carry out. Throws for what it may not; errors name `column`.
  package init(line: String, column: Int = 0) throws(ConsoleError) {
    let command = try Arguments.boundCommand(line, column: column)
    if case .tag = command {
      throw ConsoleError(.badValue, "a tag cannot change tags: '" + line + "'", column: column)
    }
    guard line.utf8.count <= Self.maxLength else {
      throw ConsoleError(
        .badValue, "a tag's command has " + String(Self.maxLength) + " bytes at most", column: column)
    }
    self.command = command
    self.line = line
  }
}

/// A command about tags.
package enum TagCommand: Hashable, Sendable {
  case list
  /// From now on a tag carries out a command.
  case set(TagID, TypedCommand)
  /// The next tag gets a command; nil: it plays what is being played.
  case learn(TypedCommand?)
  /// Learns no more.
  case learnNothing
  case remove(TagID)
  case clear
  /// As if a reader had reported the tag.
  case swipe(TagID)
  /// As if the tag had been taken from its reader.
  case lift
}

extension Arguments {
  static let tag = Argument<TagID>("TAG", "a tag's number of up to 32 letters and digits") { TagID($0) }

  /// A tag's number, or `all`: nil.
  static let tagOrAll = Argument<TagID?>(
    "TAG|all", "a tag's number, or all", [.words([Choice("all", "every tag")])]
  ) { word in
    if Spelling.small(word) == "all" { return .some(nil) }
    return TagID(word).map { .some($0) }
  }

  /// The rest of the line as a command, or one word in quotes.
  static let typedCommand = Argument<TypedCommand>([commandShape]) {
    (cursor: inout WordCursor) throws(ConsoleError) -> TypedCommand in
    let first = try cursor.take(commandShape)
    let words = [first] + cursor.takeRest()
    let line = words.count == 1 ? first.text : CommandLineText.line(of: words.map { $0.text })
    return try TypedCommand(line: line, column: first.column)
  }

  private static let commandShape = ArgumentShape(
    name: "COMMAND", wanted: "a command, such as play Albums/Harbour", sources: [.paths], isRepeated: true)

  /// Nothing, or a tag and what it does.
  static let newTag: Argument<TagCommand> = {
    let shapes = tag.optional.shapes + typedCommand.optional.shapes
    return Argument(shapes) { (cursor: inout WordCursor) throws(ConsoleError) -> TagCommand in
      guard !cursor.isAtEnd else { return .list }
      let tag = try tag.read(&cursor)
      return .set(tag, try typedCommand.read(&cursor))
    }
  }()

  /// What a tag that is learnt will do: nothing said, `off`, or a command.
  static let learning: Argument<TagCommand> = {
    let shape = ArgumentShape(
      name: "COMMAND|off", wanted: "a command, such as play Albums/Harbour, or off",
      sources: [], isOptional: true, isRepeated: true)
    return Argument([shape]) { (cursor: inout WordCursor) throws(ConsoleError) -> TagCommand in
      guard let next = cursor.next else { return .learn(nil) }
      if Spelling.small(next.text) == "off" {
        _ = try cursor.take(shape)
        return .learnNothing
      }
      return .learn(try typedCommand.read(&cursor))
    }
  }()
}
