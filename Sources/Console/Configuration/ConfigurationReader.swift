// A configuration file becomes settings and commands; its errors are told, not fatal. Pure; control thread.

/// What a configuration file says. A file that is wrong in every line still makes a box that starts.
public struct Configuration: Sendable {
  /// The most bytes that are read.
  public static let longestFile = 64 * 1024
  /// The most lines that are read.
  public static let mostLines = 1000

  /// A line that was skipped, and why.
  public struct Problem: Hashable, Sendable {
    /// From 1.
    public let line: Int
    /// What is wrong with it.
    public let error: ConsoleError

    /// `line 12: …`, for the log.
    public var sentence: String { "line " + String(line) + ": " + error.sentence }
  }

  /// The settings: the defaults, changed by `set` and `unset` in order.
  public private(set) var settings = Settings()
  /// The other commands, in order, with their lines: to be carried out when the box has started.
  public private(set) var commands: [(line: Int, command: Command)] = []
  /// The lines that were skipped, at most one each.
  public private(set) var problems: [Problem] = []

  /// Reads a whole file. Never fails; what cannot be used is in `problems`.
  public init(_ file: [UInt8]) {
    var bytes = file[...]
    // A byte order mark, as some editors write it.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    let limit = bytes.startIndex + Self.longestFile
    let end = min(bytes.endIndex, limit)
    var start = bytes.startIndex
    var number = 1
    while start < end {
      var next = start
      while next < end, bytes[next] != 0x0A { next += 1 }
      if next == limit, next < bytes.endIndex, bytes[next] != 0x0A {
        problem(number, "the file has more than " + String(Self.longestFile) + " bytes; the rest is not read")
        return
      }
      guard number <= Self.mostLines else {
        problem(number, "the file has more than " + String(Self.mostLines) + " lines; the rest is not read")
        return
      }
      read(Array(bytes[start..<next]), number)
      number += 1
      start = next + 1
    }
    if end < bytes.endIndex, start < bytes.endIndex {
      problem(number, "the file has more than " + String(Self.longestFile) + " bytes; the rest is not read")
    }
  }

  private mutating func problem(_ line: Int, _ sentence: String) {
    problems.append(Problem(line: line, error: ConsoleError(.malformed, sentence)))
  }

  private mutating func read(_ line: [UInt8], _ number: Int) {
    do throws(ConsoleError) {
      guard let command = try Interpreter.parse(line) else { return }
      switch command {
      case .set(let setting, let value): try settings.set(setting, to: value)
      case .unset(let setting?): settings.unset(setting)
      case .unset(nil): settings = Settings()
      case .cycle(let setting): try settings.set(setting, to: settings.next(setting))
      case .format, .pin, .exit, .help, .save, .show, .diff, .watch, .shutdown:
        throw ConsoleError(
          .wrongUsage, "this command has no meaning in a configuration file; remove the line")
      default: commands.append((number, command))
      }
    } catch {
      problems.append(Problem(line: number, error: error))
    }
  }
}
