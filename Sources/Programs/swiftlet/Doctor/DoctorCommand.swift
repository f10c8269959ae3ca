// `swiftlet doctor`: checks the machine and prints what to do next. Main thread.

import Daemon
import Platform

/// The subcommand `doctor`.
enum DoctorCommand {
  static let help = """
    swiftlet doctor [--config FILE] [--socket PATH]
      Checks this machine step by step, from the supply to the music: sound card,
      codecs, configuration, board, service, rights, daemon, output, controls, real
      time, media, memory, clock, the names in tags, alarms, bindings and settings,
      and the plugins for all stored music. Says what to do next. Changes nothing.
      With sudo it sees more.

      --config FILE   the configuration to look at (default: the service's)
      --socket PATH   the daemon's socket (default: as for 'swiftlet ctl')

    Exit status: 0 if nothing keeps the box from playing, 1 if something does, 64
    for wrong usage.

    """

  static func run(_ arguments: [String]) -> Int32 {
    var configuration: String?
    var socket: String?
    do throws(UsageError) {
      var words = OptionWords(arguments)
      while let word = try words.next() {
        switch word {
        case "--help", "-h":
          TextOutput.standardOutput.write(help)
          return 0
        case "--config": configuration = try words.value("a file")
        case "--socket": socket = try words.value("a path")
        default: throw UsageError("there is no option '\(word)'")
        }
      }
    } catch {
      TextOutput.standardError.write("swiftlet doctor: \(error.sentence.asSentence)\n" + help)
      return 64
    }
    let diagnostics = Diagnostics(FactFinder(configuration: configuration, socket: socket).find())
    show(diagnostics)
    return diagnostics.isFine ? 0 : 1
  }

  private static func show(_ diagnostics: Diagnostics) {
    for outcome in diagnostics.outcomes {
      let mark =
        switch outcome.verdict {
        case .fine: "ok      "
        case .advice: "advice  "
        case .problem: "PROBLEM "
        case .unknown: "unknown "
        }
      // File names may contain control characters.
      TextOutput.standardOutput.line(mark + " " + outcome.step + ": " + outcome.sentence.printable())
      if !outcome.remedy.utf8.isEmpty {
        TextOutput.standardOutput.line("          " + outcome.remedy.printable())
      }
    }
    if let next = diagnostics.next {
      TextOutput.standardOutput.line("")
      TextOutput.standardOutput.line("Next, \(next.step): \(next.remedy.printable())")
    } else {
      TextOutput.standardOutput.line("")
      TextOutput.standardOutput.line(
        "Everything is in order. 'swiftlet ctl play', or a press of play, and there is music.")
    }
  }
}
