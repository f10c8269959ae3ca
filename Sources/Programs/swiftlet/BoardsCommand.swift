// `swiftlet boards`: lists the board profiles or prints one. Main thread.

import Daemon
import Platform

/// The subcommand `boards`.
enum BoardsCommand {
  static let help = """
    swiftlet boards [NAME]
      Lists the boards that come with Swiftlet, or prints a board's profile: the
      commands that set up its sound card, buttons and lights. To use it, run
      'swiftlet run --board NAME' or begin the configuration file with 'board
      NAME'.

    """

  static func run(_ arguments: [String]) -> Int32 {
    if HelpCommand.isAsked(arguments) {
      TextOutput.standardOutput.write(help)
      return 0
    }
    guard let name = arguments.first else { return list() }
    guard arguments.count == 1, let text = BoardProfiles.text(of: name) else {
      TextOutput.standardError.write("swiftlet boards: there is no board '\(name)'.\n" + help)
      return 64
    }
    TextOutput.standardOutput.write(String(decoding: text, as: UTF8.self))
    return 0
  }

  private static func list() -> Int32 {
    let boards = BoardProfiles.all
    guard !boards.isEmpty else {
      TextOutput.standardError.line(
        "swiftlet boards: no profiles were found beside the program; SWIFTLET_BOARDS names their folder")
      return 69
    }
    let width = boards.reduce(0) { max($0, $1.name.utf8.count) }
    for board in boards {
      let padding = String(repeating: " ", count: width - board.name.utf8.count + 2)
      TextOutput.standardOutput.line(board.name + padding + board.summary)
    }
    return 0
  }
}
