// `swiftlet help --words`: completion candidates for packaging/bash-completion and packaging/zsh-completion. Main
// thread.

import Daemon
import Console
import Platform

/// Shell completion for the words after `swiftlet`, the last of which is being typed.
enum WordsCommand {
  /// Prints one candidate per line; nothing if a path or a free value is expected.
  static func run(_ words: [String]) -> Int32 {
    var text = ""
    for candidate in candidates(words) { text += candidate + "\n" }
    TextOutput.standardOutput.write(text)
    return 0
  }

  private static func candidates(_ words: [String]) -> [String] {
    guard let typed = words.last else { return [] }
    let before = words.dropLast()
    var names: [String] = []
    switch before.first {
    case nil: names = subcommands + ["--help", "--version"]
    case "play": names = options(in: PlayOptions.help) + ["--help"]
    case "run", "sim":
      if before.last == "--board" {
        names = boards
      } else {
        names = options(in: before.first == "run" ? RunCommand.help : SimOptions.help) + ["--help"]
      }
    case "boards": names = boards
    case "eq": names = options(in: EqualizerCommand.help) + ["--help"]
    case "serve": names = (before.count == 1 ? services : options(in: ServeCommand.help)) + ["--help"]
    case "card": names = options(in: CardCommand.help) + ["--help"]
    case "doctor": names = options(in: DoctorCommand.help) + ["--help"]
    case "states": names = ["--dot", "--svg"]
    case "help":
      let text = "help " + before.dropFirst().map { $0 + " " }.joined() + typed
      return Completion(of: Array(text.utf8)).candidates
        + (before.count == 1 ? subcommands.filter { $0.hasPrefix(typed) } : [])
    case "ctl":
      // Options of `ctl` may precede the command; after them, complete the console's commands.
      var line = before.dropFirst()
      while let option = line.first, option.utf8.first == 0x2D {
        line = line.dropFirst()
        guard option == "--socket" else { continue }
        guard !line.isEmpty else { return [] }
        line = line.dropFirst()
      }
      let text = line.map { $0 + " " }.joined() + typed
      return Completion(of: Array(text.utf8)).candidates
        + (line.isEmpty ? ["--socket", "--json", "--help"].filter { $0.hasPrefix(typed) } : [])
    default: break
    }
    return names.filter { $0.utf8.starts(with: typed.utf8) }
  }

  /// Names of the subcommands, taken from the help's lines `  swiftlet SUBCOMMAND …`.
  static var subcommands: [String] {
    Swiftlet.help.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      return line.hasPrefix(" ") && words.count > 1 ? String(words[1]) : nil
    }
  }

  /// What `swiftlet serve` serves, taken from the help's lines `  swiftlet serve NAME …`.
  private static var services: [String] {
    Swiftlet.help.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      return words.count > 2 && words[1] == "serve" ? String(words[2]) : nil
    }
  }

  private static var boards: [String] { BoardProfiles.all.map { $0.name } }

  /// Options described in a help text, taken from lines that begin with `  --NAME …`.
  private static func options(in help: String) -> [String] {
    help.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard let first = words.first, first.hasPrefix("--") else { return nil }
      return String(first)
    }
  }
}
