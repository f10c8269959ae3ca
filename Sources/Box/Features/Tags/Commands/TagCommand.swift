// Parsed commands about RFID tags, and their arguments. Pure values; control thread.

import PlaybackModel

/// A command with its text, for storing it and running it later.
package struct TypedCommand: Hashable, Sendable {
  /// The most bytes of a tag's command line.
  package static let maxLength = 512

  /// The parsed command.
  package let command: Command
  /// The command's text.
  package let line: String

  /// Parses a command for a tag.
  ///
  /// - Throws: An error that refers to `column`, if the line is invalid, too long, or not allowed for a tag.
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

/// A command about RFID tags.
package enum TagCommand: Hashable, Sendable {
  case list
  /// Assigns a command to a tag.
  case set(TagID, TypedCommand)
  /// Assigns a command to the next tag placed on a reader; nil: to play the current music.
  case learn(TypedCommand?)
  /// Ends learning.
  case learnNothing
  case remove(TagID)
  case clear
  /// Simulates placing a tag on a reader.
  case swipe(TagID)
  /// Simulates removing the tag from its reader.
  case lift
}

extension Arguments {
  static let tag = Argument<TagID>("TAG", "a tag's number of up to 32 letters and digits") { TagID($0) }

  /// A tag's number; nil for `all`.
  static let tagOrAll = Argument<TagID?>(
    "TAG|all", "a tag's number, or all", [.words([Choice("all", "every tag")])]
  ) { word in
    if Spelling.small(word) == "all" { return .some(nil) }
    return TagID(word).map { .some($0) }
  }

  /// A command: the rest of the line, or one quoted word.
  static let typedCommand = Argument<TypedCommand>([commandShape]) {
    (cursor: inout WordCursor) throws(ConsoleError) -> TypedCommand in
    let first = try cursor.take(commandShape)
    let words = [first] + cursor.takeRest()
    let line = words.count == 1 ? first.text : CommandLineText.line(of: words.map { $0.text })
    return try TypedCommand(line: line, column: first.column)
  }

  private static let commandShape = ArgumentShape(
    name: "COMMAND", wanted: "a command, such as play Albums/Harbour", sources: [.paths], isRepeated: true)

  /// The arguments of `tag`: none, or a tag and its command.
  static let newTag: Argument<TagCommand> = {
    let shapes = tag.optional.shapes + typedCommand.optional.shapes
    return Argument(shapes) { (cursor: inout WordCursor) throws(ConsoleError) -> TagCommand in
      guard !cursor.isAtEnd else { return .list }
      let tag = try tag.read(&cursor)
      return .set(tag, try typedCommand.read(&cursor))
    }
  }()

  /// The arguments of `tag learn`: none, `off`, or a command.
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

extension TagCommand {
  /// Tag numbers are replaced: the same tag may open doors.
  func anonymousWords(_ name: (String) -> String) -> String {
    switch self {
    case .list: ""
    case .set(let tag, let command): " " + name(tag.text) + " " + command.command.anonymousLine(name)
    case .learn(let command): " learn" + (command.map { " " + $0.command.anonymousLine(name) } ?? "")
    case .learnNothing: " learn off"
    case .remove(let tag): " remove " + name(tag.text)
    case .clear: " remove all"
    case .swipe(let tag): " swipe " + name(tag.text)
    case .lift: " lift"
    }
  }
}
