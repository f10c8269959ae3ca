// Reads a configuration file into settings, controls and start commands; errors are collected, never fatal.
// Pure; control thread.

import Controls

/// A parsed configuration file. Invalid lines are skipped, so that the box starts with any file.
package struct Configuration: Sendable {
  /// The most bytes that are read of a file.
  package static let maxFileBytes = 64 * 1024
  /// The most lines that are read of a file.
  package static let maxLines = 1000

  /// A skipped line with the reason.
  package struct Problem: Hashable, Sendable {
    /// The board whose profile contains the line; nil for the configuration file itself.
    package let board: String?
    /// The line number, from 1.
    package let line: Int
    /// The reason why it was skipped.
    package let error: ConsoleError

    /// The problem as text for the log: `line 12: …`.
    package var sentence: String {
      (board.map { "the profile of " + $0 + ", " } ?? "") + "line " + String(line) + ": " + error.sentence
    }
  }

  /// The defaults or the profile's settings, changed by `set` and `unset` in order.
  package private(set) var settings = Settings()
  /// The controls and their bindings.
  package private(set) var controls = ControlTable()
  /// The board profile's result. `save` writes the differences from it.
  package private(set) var base = ConfigurationBase()
  /// Commands to run after the start, in order, with their line numbers.
  package private(set) var commands: [(line: Int, command: Command)] = []
  /// The skipped lines, at most one problem for each.
  package private(set) var problems: [Problem] = []

  private var board: String?
  /// The first board that the file names, even if it has no profile.
  private let firstBoard: String?
  /// Whether the command line named the board.
  private let isBoardGiven: Bool
  private let profile: @Sendable (String) -> [UInt8]?

  /// Reads a whole file. Lines that cannot be used are in `problems`.
  ///
  /// - Parameters:
  ///   - file: The file's bytes.
  ///   - board: The board whose profile applies, overriding the file's `board` line.
  ///   - profile: Returns a board's profile, or nil for an unknown name.
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

  /// Finds the file's first `board` line, at any place: its profile applies before the rest of the file.
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
    // A byte-order mark, which some editors write.
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
      if let (setting, value) = command.assignment { return try settings.set(setting, to: value) }
      switch command {
      case .unset(let setting?): settings.unset(setting)
      case .unset(nil): settings = Settings()
      case .clearEqualizer: settings.clearEqualizer()
      case .board(let name):
        guard board == nil else { throw ConsoleError(.wrongUsage, "a profile names no other board") }
        // The profile was applied or reported before; the command line's board overrides the file's.
        if !isBoardGiven, let first = firstBoard, first != name { throw Self.secondBoard(first) }
      case .controls(.simulate), .controls(.list): throw Self.meaningless
      case .controls(let command): try controls.apply(command)
      case .cycle(let setting): try settings.set(setting, to: settings.next(setting))
      default:
        guard command.properties.uses.contains(.file) else { throw Self.meaningless }
        commands.append((number, command))
      }
    } catch {
      problems.append(Problem(board: board, line: number, error: SecretLine.inFile(error, about: line)))
    }
  }

  /// The error for a second, different `board` line.
  static func secondBoard(_ first: String) -> ConsoleError {
    ConsoleError(.wrongUsage, "there is a board already, '" + first + "'; remove one of the lines")
  }

  private static let meaningless = ConsoleError(
    .wrongUsage, "this command has no meaning in a configuration file; remove the line")
}

/// The configuration that a file starts from: the defaults, or a board's profile.
package struct ConfigurationBase: Hashable, Sendable {
  /// The board's name; nil for the defaults.
  package var board: String?
  /// The profile's settings.
  package var settings = Settings()
  /// The profile's controls.
  package var controls = ControlTable()

  /// Creates a base with the defaults and no board.
  package init() {}

  init(board: String?, settings: Settings, controls: ControlTable) {
    self.board = board
    self.settings = settings
    self.controls = controls
  }

  /// Formats a configuration file for these settings and controls: a comment, then a line for each difference
  /// from this base.
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
