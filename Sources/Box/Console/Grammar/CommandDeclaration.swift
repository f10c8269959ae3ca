// One entry of the command table, from which parsing, help, completion and the reference are derived. Pure;
// any thread.

/// A chapter of the command reference.
package enum CommandGroup: UInt8, Hashable, Sendable, CaseIterable {
  case transport, sound, queue, settings, controls, information, outside, session

  /// The chapter's heading.
  package var title: String {
    switch self {
    case .transport: "Playing"
    case .sound: "Sound"
    case .queue: "Queue and media"
    case .settings: "Settings"
    case .controls: "Buttons, knobs and lights"
    case .information: "Information"
    case .outside: "The outside world"
    case .session: "The session"
    }
  }
}

extension CommandGroup {
  /// The chapter's word in `help WORD`.
  package var word: String {
    switch self {
    case .transport: "playing"
    case .sound: "sound"
    case .queue: "music"
    case .settings: "configuration"
    case .controls: "buttons"
    case .information: "information"
    case .outside: "outside"
    case .session: "session"
    }
  }
}

/// The declaration of one command: its names, arguments, help texts and parser.
package struct CommandDeclaration: Sendable {
  /// The command's name of one or more words: `queue add`.
  package let name: String
  /// Alternative names.
  package let aliases: [String]
  /// The chapter that lists it.
  package let group: CommandGroup
  /// The arguments, in order.
  package let arguments: [ArgumentShape]
  /// What it does, in one line.
  package let summary: String
  /// Further explanation; may be empty.
  package let details: String
  /// Valid command lines as examples.
  package let examples: [String]

  /// The name and the aliases, each split into words.
  let spellings: [[String]]
  let parse: @Sendable (inout WordCursor) throws(ConsoleError) -> Command

  /// The name with its arguments: `seek POSITION`.
  package var usage: String {
    var text = name
    for argument in arguments { text += " " + argument.usage }
    return text
  }

  /// Declares a command without arguments.
  init(
    _ name: String, _ command: Command, aliases: [String] = [], _ group: CommandGroup, _ summary: String,
    _ details: String = "", examples: [String] = []
  ) {
    self.init(name, aliases, group, [], summary, details, examples) { _ in command }
  }

  /// Declares a command with one argument.
  init<A>(
    _ name: String, _ first: Argument<A>, aliases: [String] = [], _ group: CommandGroup, _ summary: String,
    _ details: String = "", examples: [String], make: @escaping @Sendable (A) -> Command
  ) {
    self.init(name, aliases, group, first.shapes, summary, details, examples) {
      (cursor: inout WordCursor) throws(ConsoleError) -> Command in
      make(try first.read(&cursor))
    }
  }

  /// Declares a command with two arguments.
  init<A, B>(
    _ name: String, _ first: Argument<A>, _ second: Argument<B>, aliases: [String] = [],
    _ group: CommandGroup,
    _ summary: String, _ details: String = "", examples: [String],
    make: @escaping @Sendable (A, B) -> Command
  ) {
    self.init(name, aliases, group, first.shapes + second.shapes, summary, details, examples) {
      (cursor: inout WordCursor) throws(ConsoleError) -> Command in
      let a = try first.read(&cursor)
      return make(a, try second.read(&cursor))
    }
  }

  /// Declares a command with three arguments; `make` may reject combinations of values.
  init<A, B, C>(
    _ name: String, _ first: Argument<A>, _ second: Argument<B>, _ third: Argument<C>, _ group: CommandGroup,
    _ summary: String, _ details: String, examples: [String],
    make: @escaping @Sendable (A, B, C) throws(ConsoleError) -> Command
  ) {
    self.init(
      name, [], group, first.shapes + second.shapes + third.shapes, summary, details, examples
    ) {
      (cursor: inout WordCursor) throws(ConsoleError) -> Command in
      let a = try first.read(&cursor)
      let b = try second.read(&cursor)
      return try make(a, b, try third.read(&cursor))
    }
  }

  private init(
    _ name: String, _ aliases: [String], _ group: CommandGroup, _ arguments: [ArgumentShape],
    _ summary: String, _ details: String, _ examples: [String],
    parse: @escaping @Sendable (inout WordCursor) throws(ConsoleError) -> Command
  ) {
    self.name = name
    self.aliases = aliases
    self.group = group
    self.arguments = arguments
    self.summary = summary
    self.details = details
    self.examples = examples.isEmpty ? [name] : examples
    self.parse = parse
    spellings = ([name] + aliases).map { name in
      name.utf8.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
    }
  }
}
