// A configuration file becomes settings and commands; its errors are told, not fatal. Pure; control thread.

import Controls

/// What a configuration file says. A file that is wrong in every line still makes a box that starts.
package struct Configuration: Sendable {
  /// The most bytes that are read.
  package static let maxFileBytes = 64 * 1024
  /// The most lines that are read.
  package static let maxLines = 1000

  /// A line that was skipped, and why.
  package struct Problem: Hashable, Sendable {
    /// The board whose profile it is in; nil: the configuration file itself.
    package let board: String?
    /// From 1.
    package let line: Int
    /// What is wrong with it.
    package let error: ConsoleError

    /// `line 12: …`, for the log.
    package var sentence: String {
      (board.map { "the profile of " + $0 + ", " } ?? "") + "line " + String(line) + ": " + error.sentence
    }
  }

  /// The settings: the defaults, changed by `set` and `unset` in order.
  package private(set) var settings = Settings()
  /// The controls and what they do.
  package private(set) var controls = ControlTable()
  /// What the board's profile has made; what is saved is the difference.
  package private(set) var base = ConfigurationBase()
  /// The other commands, in order, with their lines: to be carried out when the box has started.
  package private(set) var commands: [(line: Int, command: Command)] = []
  /// The lines that were skipped, at most one each.
  package private(set) var problems: [Problem] = []

  private var board: String?
  /// The first board that the file names, whether there is one of that name or not.
  private let firstBoard: String?
  /// Whether the command line named the board.
  private let isBoardGiven: Bool
  private let profile: @Sendable (String) -> [UInt8]?

  /// Reads a whole file. Never fails; what cannot be used is in `problems`. `board` is the profile to begin with,
  /// whatever the file says; `profile` finds one by its name.
  package init(
    _ file: [UInt8], board: String? = nil, profile: @escaping @Sendable (String) -> [UInt8]? = { _ in nil }
  ) {
    self.profile = profile
    isBoardGiven = board != nil
    let first = Self.firstBoard(in: file)
    firstBoard = first?.name
    if let board {
      take(board: board, 0)
    } else if let (name, line) = first {
      take(board: name, line)
    }
    readAll(file)
  }

  /// The board that a file names, wherever: its profile comes before everything else that the file says.
  private static func firstBoard(in file: [UInt8]) -> (name: String, line: Int)? {
    var number = 0
    for line in file.prefix(maxFileBytes).split(separator: 0x0A, omittingEmptySubsequences: false) {
      number += 1
      guard number <= maxLines else { return nil }
      if case .board(let name)? = try? Interpreter.parse(Array(line)) { return (name, number) }
    }
    return nil
  }

  private mutating func take(board name: String, _ line: Int) {
    guard let text = profile(name) else {
      problem(line, "there is no board '" + name + "'; 'swiftlet boards' lists them")
      return
    }
    (settings, controls, commands) = (Settings(), ControlTable(), [])
    board = name
    readAll(text)
    board = nil
    base = ConfigurationBase(board: name, settings: settings, controls: controls)
  }

  private mutating func readAll(_ file: [UInt8]) {
    var bytes = file[...]
    // A byte order mark, as some editors write it.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    let limit = bytes.startIndex + Self.maxFileBytes
    let end = min(bytes.endIndex, limit)
    var start = bytes.startIndex
    var number = 1
    while start < end {
      var next = start
      while next < end, bytes[next] != 0x0A { next += 1 }
      if next == limit, next < bytes.endIndex, bytes[next] != 0x0A {
        problem(
          number, "the file has more than " + String(Self.maxFileBytes) + " bytes; the rest is not read")
        return
      }
      guard number <= Self.maxLines else {
        problem(number, "the file has more than " + String(Self.maxLines) + " lines; the rest is not read")
        return
      }
      read(Array(bytes[start..<next]), number)
      number += 1
      start = next + 1
    }
    if end < bytes.endIndex, start < bytes.endIndex {
      problem(number, "the file has more than " + String(Self.maxFileBytes) + " bytes; the rest is not read")
    }
  }

  private mutating func problem(_ line: Int, _ sentence: String) {
    problems.append(Problem(board: board, line: line, error: ConsoleError(.malformed, sentence)))
  }

  private mutating func read(_ line: [UInt8], _ number: Int) {
    do throws(ConsoleError) {
      guard let command = try Interpreter.parse(line) else { return }
      switch command {
      case .set(let setting, let value): try settings.set(setting, to: value)
      case .unset(let setting?): settings.unset(setting)
      case .unset(nil): settings = Settings()
      case .clearEqualizer: settings.clearEqualizer()
      case .board(let name):
        guard board == nil else { throw ConsoleError(.wrongUsage, "a profile names no other board") }
        // The profile is there already, or was not found; the command line's board goes before the file's.
        if !isBoardGiven, let first = firstBoard, first != name { throw Self.secondBoard(first) }
      case .controls(.simulate), .controls(.list): throw Self.meaningless
      case .controls(let command): try controls.apply(command)
      case .cycle(let setting): try settings.set(setting, to: settings.next(setting))
      case .format, .pin, .exit, .help, .save, .show, .diff, .equalizer, .watch, .idle, .shutdown:
        throw Self.meaningless
      default: commands.append((number, command))
      }
    } catch {
      problems.append(Problem(board: board, line: number, error: SecretLine.masked(error, about: line)))
    }
  }

  /// Why a board is not used.
  static func secondBoard(_ first: String) -> ConsoleError {
    ConsoleError(.wrongUsage, "there is a board already, '" + first + "'; remove one of the lines")
  }

  private static let meaningless = ConsoleError(
    .wrongUsage, "this command has no meaning in a configuration file; remove the line")
}

/// What a configuration file changes: nothing, or a board's profile.
package struct ConfigurationBase: Hashable, Sendable {
  /// The board.
  package var board: String?
  /// Its settings.
  package var settings = Settings()
  /// Its controls.
  package var controls = ControlTable()

  /// No board: the defaults.
  package init() {}

  init(board: String?, settings: Settings, controls: ControlTable) {
    self.board = board
    self.settings = settings
    self.controls = controls
  }

  /// A configuration file that makes these settings and controls: a comment, and a line for all that differs.
  package func configuration(_ settings: Settings, _ controls: ControlTable) -> String {
    var text = "# Written by 'save'. One command a line, as on the console; 'help' lists them.\n"
    if let board { text += "board " + board + "\n" }
    for setting in settings.differences(from: self.settings) {
      text += (settings.isDefault(setting) ? "unset " + setting.key : settings.line(setting)) + "\n"
    }
    for line in controls.lines(from: self.controls) { text += line + "\n" }
    return text
  }
}
