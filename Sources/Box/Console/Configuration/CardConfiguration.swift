// The configuration file of a card's boot partition, merged into that of the box. Pure; any thread.

/// The box's configuration with the lines of a card's file in it.
///
/// Each right line of the card holds afterwards, wherever the box's file had another value; the box's other lines stay. A line that is
/// wrong is added as it is, so that the daemon reports it at each start. Merging a file a second time changes nothing.
package struct CardConfiguration: Sendable {
  /// A line of the card that is not used.
  package struct Problem: Hashable, Sendable {
    /// The line's number in the card's file, from 1; nil: the whole file.
    package let line: Int?
    /// The line's text in the card's file, with `****` in place of a password or PIN.
    package let text: String
    /// The reason, with the nearest match.
    package let error: ConsoleError

    /// `line 3: …`, for the log.
    package var sentence: String { (line.map { "line " + String($0) + ": " } ?? "") + error.sentence }

    /// A problem of the whole file.
    package init(_ error: ConsoleError) {
      line = nil
      text = ""
      self.error = error
    }

    init(_ line: CardLine, _ error: ConsoleError) {
      self.line = line.number
      text = String(decoding: SecretLine.masked(line.bytes), as: UTF8.self)
      self.error = SecretLine.masked(error, about: line.bytes)
    }
  }

  /// The box's new configuration file; the old one where nothing changes.
  package let file: [UInt8]
  /// The card's lines that are wrong, in their order.
  package let problems: [Problem]
  /// Whether the new file holds a PIN.
  package let hasPIN: Bool

  /// Repetitions after which lines are given up that take back each other's effect.
  private static let maxRounds = 8

  /// Merges a card's file.
  ///
  /// - Parameters:
  ///   - card: The card's file as it is now.
  ///   - former: The card's file that was merged last; empty: none.
  ///   - box: The box's configuration file; empty: none.
  ///   - boards: The names of all boards, for the nearest match.
  ///   - profile: Finds a board's profile by its name.
  ///   - refusal: Why this box cannot use a value, to follow the setting's name; nil: it can. The daemon reports such a line, too.
  /// - Throws: The reason why nothing of the file can be used.
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
        hasPIN = Configuration(file, profile: profile).settings.consolePIN != nil
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

  /// Whether the daemon reads all of these lines.
  private static func fits(_ lines: [[UInt8]]) -> Bool {
    lines.count <= Configuration.maxLines
      && lines.reduce(0) { $0 + $1.count + 1 } <= Configuration.maxFileBytes
  }
}

/// A line of a card's file.
struct CardLine {
  /// From 1.
  let number: Int
  /// Without blanks around it.
  let bytes: [UInt8]
  /// What kind of line it is.
  let kind: ConfigurationLine
}

/// What a line of a configuration file is about.
enum ConfigurationLine {
  /// A comment, or nothing.
  case blank
  case board(String)
  /// A line about one setting.
  case setting(Setting, Command)
  /// A line about several settings.
  case settings(Command)
  /// A control, a binding or a live source.
  case control(ControlCommand)
  /// A command for the start, or one that has no meaning in a file.
  case command
  case wrong(ConsoleError)

  init(_ line: [UInt8]) {
    do throws(ConsoleError) {
      guard let command = try Interpreter.parse(line) else {
        self = .blank
        return
      }
      switch command {
      case .board(let name): self = .board(name)
      case .set(let setting, _), .unset(let setting?), .cycle(let setting): self = .setting(setting, command)
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
