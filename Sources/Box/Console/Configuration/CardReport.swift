// The text file written to a card to report invalid lines of its configuration file, for users without a
// terminal. Pure; any thread.

import Platform

extension CardConfiguration {
  /// The most characters shown of a line.
  private static let maxShown = 200

  /// Formats the report: the invalid lines, each with its error and remedy. Lines end in CRLF.
  ///
  /// - Parameters:
  ///   - problems: The problems. A problem with the whole file means that no line is in use.
  ///   - name: The file's name on the card.
  package static func report(_ problems: [Problem], name: String) -> [UInt8] {
    let isWhole = problems.contains { $0.line == nil }
    var lines = [
      isWhole
        ? "Swiftlet could not use the file " + name + "."
        : "Swiftlet did not understand "
          + (problems.count == 1 ? "a line" : String(problems.count) + " lines")
          + " of the file " + name + ".",
      isWhole
        ? "The box works with the settings that it had before."
        : "The remaining lines of the file are in use.",
    ]
    for problem in problems {
      lines.append("")
      if let number = problem.line {
        lines.append("Line " + String(number) + ":  " + problem.text.printable(limit: maxShown))
      }
      lines.append("What is wrong:  " + problem.error.sentence.printable().asSentence)
      lines.append("What to do:  " + remedy(problem))
    }
    lines += [
      "",
      "Open " + name + " on this card with a text editor, such as Notepad or TextEdit, and correct it.",
      "Save it as plain text (UTF-8), put the card back into the box, and switch the box on.",
      "The box removes this report when everything is right.",
    ]
    var text: [UInt8] = []
    for line in lines { text += Array((line + "\r\n").utf8) }
    return text
  }

  private static func remedy(_ problem: Problem) -> String {
    let hasMatch = problem.error.sentence.utf8.last == 0x3F
    if problem.line == nil { return "Correct the file. Its lines are used when the box starts again." }
    switch problem.error.kind {
    case .unknownSetting, .unknownCommand, .badValue:
      return hasMatch
        ? "Write the suggested word instead, if it is the one that you mean; otherwise remove the line."
        : "Correct the line, or remove it."
    case .malformed:
      return "Correct the line, or remove it. Letters with accents need a file that is saved as UTF-8."
    case .wrongUsage, .notAllowed, .failed, .outdated: return "Correct the line, or remove it."
    }
  }
}
