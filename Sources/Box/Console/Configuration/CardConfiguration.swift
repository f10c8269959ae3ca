// Merges the configuration file of a memory card's boot partition into the box's own file. Pure; any thread.

/// The box's configuration with the lines of a card's file merged in.
///
/// Every valid line of the card overrides the box's value; the box's other lines are kept. An invalid line is
/// added unchanged, so that the daemon reports it at each start. Merging the same file again changes nothing.
package struct CardConfiguration: Sendable {
  /// A line of the card that could not be used.
  package struct Problem: Hashable, Sendable {
    /// The line's number in the card's file, from 1; nil if the problem concerns the whole file.
    package let line: Int?
    /// The line's command and setting; the rest is `…`, or `****` if it may be secret.
    package let text: String
    /// The reason, with the nearest match if there is one.
    package let error: ConsoleError

    /// The problem as text for the log: `line 3: …`.
    package var sentence: String { (line.map { "line " + String($0) + ": " } ?? "") + error.sentence }

    /// Creates a problem that concerns the whole file.
    package init(_ error: ConsoleError) {
      line = nil
      text = ""
      self.error = error
    }

    init(_ line: CardLine, _ error: ConsoleError) {
      self.line = line.number
      text = SecretLine.quoted(line.bytes)
      self.error = SecretLine.inFile(error, about: line.bytes)
    }
  }

  /// The merged configuration file; the box's old file, byte for byte, if nothing changed.
  package let file: [UInt8]
  /// The card's invalid lines, in file order.
  package let problems: [Problem]
  /// Whether the merged file sets a PIN or a password.
  package let hasSecret: Bool

  /// Merge passes before giving up on lines that undo each other's effect.
  private static let maxRounds = 8

  /// Merges a card's file into the box's file.
  ///
  /// - Parameters:
  ///   - card: The card's current file.
  ///   - former: The card's file at the previous merge; empty if there was none.
  ///   - box: The box's configuration file; empty if there is none.
  ///   - boards: The names of all boards, for nearest-match hints.
  ///   - profile: Returns a board's profile, or nil for an unknown name.
  ///   - refusal: Returns why this box cannot use a value, as text that follows the setting's name; nil if it
  ///     can. The daemon reports such a line, too.
  /// - Throws: The reason if nothing of the file can be used.
  package init(
    card: [UInt8], former: [UInt8], box: [UInt8], boards: [String] = [],
    profile: @escaping @Sendable (String) -> [UInt8]? = { _ in nil },
    refusal: (Setting, SettingValue) -> String? = { _, _ in nil }
  ) throws(ConsoleError) {
    let text = try CardText(card)
    let old = Self.lines(of: box)
    guard Self.fits(old) else {
      throw ConsoleError(.failed, "the configuration file of the box is too long to be changed; shorten it")
    }
    let merge = CardMerge(text.lines, former: (try? CardText(former))?.lines ?? [], boards, profile)
    var lines = old
    for _ in 0..<Self.maxRounds {
      let (next, problems) = merge.merged(into: lines)
      guard Self.fits(next) else {
        throw ConsoleError(
          .failed, "the configuration file of the box would become too long with these lines; remove some")
      }
      if next == lines {
        file = lines == old ? box : Self.text(lines)
        self.problems = (problems + merge.refused(refusal)).sorted { ($0.line ?? 0) < ($1.line ?? 0) }
        hasSecret = !Configuration(file, profile: profile).settings.secrets.isEmpty
        return
      }
      lines = next
    }
    throw ConsoleError(
      .failed, "its lines about buttons, lights and sources take back each other's effect; remove some")
  }

  private static func lines(of file: [UInt8]) -> [[UInt8]] {
    let bytes = file.starts(with: [0xEF, 0xBB, 0xBF]) ? file.dropFirst(3) : file[...]
    var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) }
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  static func text(_ lines: [[UInt8]]) -> [UInt8] {
    var text: [UInt8] = []
    for line in lines { text += line + [0x0A] }
    return text
  }

  /// Whether the lines are within the daemon's limits on lines and bytes.
  private static func fits(_ lines: [[UInt8]]) -> Bool {
    lines.count <= Configuration.maxLines
      && lines.reduce(0) { $0 + $1.count + 1 } <= Configuration.maxFileBytes
  }
}

/// A parsed line of a card's file.
struct CardLine {
  /// The line number, from 1.
  let number: Int
  /// The text without surrounding blanks.
  let bytes: [UInt8]
  /// The parsed content.
  let kind: ConfigurationLine
}

/// The content of one configuration line, classified by the setting or control that it changes.
enum ConfigurationLine {
  /// A comment or an empty line.
  case blank
  case board(String)
  /// A command that changes one setting.
  case setting(Setting, Command)
  /// A command that changes several settings.
  case settings(Command)
  /// A control, a binding or a live source.
  case control(ControlCommand)
  /// A start command, or a command that is not allowed in a file.
  case command
  case wrong(ConsoleError)

  init(_ line: [UInt8]) {
    do throws(ConsoleError) {
      guard let command = try Interpreter.parse(line) else {
        self = .blank
        return
      }
      if let setting = command.assignment?.setting {
        self = .setting(setting, command)
        return
      }
      switch command {
      case .board(let name): self = .board(name)
      case .unset(let setting?), .cycle(let setting): self = .setting(setting, command)
      case .unset(nil), .clearEqualizer: self = .settings(command)
      case .controls(.list), .controls(.simulate): self = .command
      case .controls(let command): self = .control(command)
      default: self = .command
      }
    } catch {
      self = .wrong(error)
    }
  }
}
