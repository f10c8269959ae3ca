// `swiftlet states`: prints the state machine's table or diagram. Main thread; no engine runs.

import PlaybackModel
import Platform

enum StatesCommand {
  /// Prints Markdown, or with --dot or --svg the diagram. Returns the exit status.
  static func run(_ arguments: [String]) -> Int32 {
    let table = StateTable()
    switch (arguments.count, arguments.first) {
    case (0, _): print(table.markdownTable(), terminator: "")
    case (1, "--dot"): print(table.dot(), terminator: "")
    case (1, "--svg"): print(table.svg(), terminator: "")
    default:
      TextOutput.standardError.line("usage: swiftlet states [--dot|--svg]")
      return 64
    }
    return 0
  }
}
