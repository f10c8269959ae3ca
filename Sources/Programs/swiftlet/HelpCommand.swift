// `swiftlet help TOPIC`: prints the help of a subcommand or of a console command. Main thread.

import Console
import Platform

/// The subcommand `help`.
enum HelpCommand {
  /// Runs the subcommand.
  ///
  /// - Parameter words: Arguments after the subcommand.
  /// - Returns: Exit status.
  static func run(_ words: [String]) -> Int32 {
    guard let first = words.first, first != "--help", first != "-h" else {
      TextOutput.standardOutput.write(Swiftlet.help)
      return 0
    }
    let own = words.count == 1 ? subcommand(first) : nil
    if let own { TextOutput.standardOutput.write(own) }
    do throws(ConsoleError) {
      guard case .help(let topic)? = try Interpreter.parse(arguments: ["help"] + words) else { return 0 }
      if own != nil { TextOutput.standardOutput.write("\nOn the console of a box and in scripts:\n") }
      // Omit the last line, the reply's status.
      let lines = String(decoding: Reply.ok(topic.answer).rendered(.text), as: UTF8.self).split(
        separator: "\n")
      for line in lines.dropLast() { TextOutput.standardOutput.line(String(line)) }
      return 0
    } catch {
      guard own == nil else { return 0 }
      let hint = hint(first)
      TextOutput.standardError.line(
        "swiftlet help: "
          + (hint.utf8.isEmpty ? error.sentence : "there is no help about '\(first)'" + hint).asSentence)
      return 64
    }
  }

  /// Whether the arguments of a subcommand contain --help or -h.
  static func isAsked(_ words: [String]) -> Bool { words.contains("--help") || words.contains("-h") }

  /// Prints a subcommand's help.
  static func show(_ name: String) { TextOutput.standardOutput.write(subcommand(name) ?? Swiftlet.help) }

  /// Suggests the subcommand nearest to a misspelled word: `; did you mean 'x'?`, or an empty string.
  static func hint(_ word: String) -> String { Spelling.hint(word, among: WordsCommand.subcommands) }

  private static func subcommand(_ name: String) -> String? {
    switch name {
    case "play": PlayOptions.help
    case "run": RunCommand.help
    case "sim": SimOptions.help
    case "boards": BoardsCommand.help
    case "ctl": ControlCommand.help
    case "serve": ServeCommand.help
    case "eq": EqualizerCommand.help
    case "card": CardCommand.help
    case "doctor": DoctorCommand.help
    case "probe": ProbeCommand.help
    case "codecs": CodecsCommand.help
    case "states": StatesCommand.help
    case "version", "help": line(name)
    default: nil
    }
  }

  /// Line of the overview about a subcommand without help of its own.
  private static func line(_ name: String) -> String? {
    for line in Swiftlet.help.split(separator: "\n") {
      let words = line.split(separator: " ")
      if line.hasPrefix(" "), words.count > 1, words[1] == name { return String(line) + "\n" }
    }
    return nil
  }
}
