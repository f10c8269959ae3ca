// `swiftlet states`: prints the player's state machine as a table or diagram. Main thread.

import PlaybackModel
import Platform

enum StatesCommand {
  static let help = """
    swiftlet states [--dot|--svg]
      Prints what each event does in each state of the player, as a table in
      Markdown.

      --dot    the diagram as input for Graphviz
      --svg    the diagram as a picture

    """

  /// Runs the subcommand.
  ///
  /// - Parameter arguments: Arguments after the subcommand.
  /// - Returns: Exit status.
  static func run(_ arguments: [String]) -> Int32 {
    let table = StateTable()
    switch (arguments.count, arguments.first) {
    case (0, _): print(table.markdownTable(), terminator: "")
    case (1, "--dot"): print(table.dot(), terminator: "")
    case (1, "--svg"): print(table.svg(), terminator: "")
    case _ where HelpCommand.isAsked(arguments): TextOutput.standardOutput.write(help)
    default:
      TextOutput.standardError.write("swiftlet states: takes --dot or --svg.\n" + help)
      return 64
    }
    return 0
  }
}
