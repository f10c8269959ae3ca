// `swiftlet card`: merges the configuration file of an SD card's boot partition before the daemon starts. Main thread;
// may block on storage.

import Console
import Daemon
import Platform

/// The subcommand `card`.
enum CardCommand {
  static let help = """
    swiftlet card --from FILE --config FILE --former FILE [--errors FILE]
      Applies the configuration file of a card, which a person edits on a PC, to
      that of the box. Each line of the card replaces the setting, control or
      binding that it names; all else that 'save' has stored stays. A line that is
      wrong is skipped; the box's file gets it unchanged, and the daemon reports
      it. Commands for the start are added once, and removed when the card has them
      no longer. A setting or a control that the card has no longer stays; 'unset'
      or 'remove' on the card takes it back. A missing or empty file is one without
      lines. A file equal to the copy changes nothing. After a power cut the next
      run finishes.

      --from FILE     the card's file: UTF-8, or UTF-16 as Notepad writes it, at
                      most 64 KiB and 1000 lines
      --config FILE   the configuration of the box; the old one stays as FILE.bak
      --former FILE   the copy of the card's file that was applied last, written
                      last; removed if the card has no file
      --errors FILE   where wrong lines are explained; removed when there are none

    Example:
      swiftlet card --from card.conf --config box.conf --former applied.conf

    Exit status: 0 applied, or nothing to do; 2 applied, but for lines that are
    wrong; 1 not applied, and nothing is lost; 64 wrong usage.

    """

  static func run(_ arguments: [String]) -> Int32 {
    var application = CardApplication()
    do throws(UsageError) {
      var words = OptionWords(arguments)
      while let word = try words.next() {
        switch word {
        case "--help", "-h":
          TextOutput.standardOutput.write(help)
          return 0
        case "--from": application.card = try words.value("a file")
        case "--config": application.box = try words.value("a file")
        case "--former": application.former = try words.value("a file")
        case "--errors": application.report = try words.value("a file")
        default: throw UsageError("there is no option '\(word)'")
        }
      }
      for (name, path) in [
        ("--from", application.card), ("--config", application.box), ("--former", application.former),
      ] where path.utf8.isEmpty {
        throw UsageError("\(name) FILE is missing")
      }
    } catch {
      TextOutput.standardError.write("swiftlet card: \(error.sentence.asSentence)\n" + help)
      return 64
    }
    switch application.run(in: LinuxFiles()) {
    case .nothingToDo: return 0
    case .failed(let reason):
      TextOutput.standardError.line("swiftlet card: \(reason.asSentence)")
      return 1
    case .applied(let problems, let notes):
      TextOutput.standardOutput.line("swiftlet card: \(application.card) is applied to \(application.box).")
      for problem in problems {
        TextOutput.standardError.line(
          "swiftlet card: \(application.card), \(problem.sentence.printable()) (the line was skipped)")
      }
      for note in notes { TextOutput.standardError.line("swiftlet card: \(note.asSentence)") }
      return problems.isEmpty ? 0 : 2
    }
  }
}
