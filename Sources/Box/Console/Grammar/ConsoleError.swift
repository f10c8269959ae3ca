// The error that the console reports for a line. Pure value; any thread.

import PlaybackModel

/// The reason why a line was rejected, the place in the line, and a remedy.
package struct ConsoleError: Error, Hashable, Sendable {
  /// The kind of error, for programs.
  package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    /// Not splittable into words: a control byte, invalid UTF-8, an open quote, or too long.
    case malformed
    /// No command has that name.
    case unknownCommand
    /// A command with too few or too many arguments.
    case wrongUsage
    /// An argument of the wrong kind or out of range.
    case badValue
    /// No setting has that name.
    case unknownSetting
    /// The session must enter its PIN, or wait.
    case notAllowed
    /// A valid command that could not be carried out.
    case failed
    /// A command about a version of the queue that has changed since.
    case outdated

    /// The name in JSON.
    package var name: String {
      switch self {
      case .malformed: "malformed"
      case .unknownCommand: "unknown-command"
      case .wrongUsage: "wrong-usage"
      case .badValue: "bad-value"
      case .unknownSetting: "unknown-setting"
      case .notAllowed: "not-allowed"
      case .failed: "failed"
      case .outdated: "outdated"
      }
    }
  }

  /// The kind of error.
  package var kind: Kind
  /// The cause and the remedy, without "error:" and without a line number.
  package var sentence: String
  /// The sentence for a line of a file, whose reader may have no terminal: it quotes no word that is not understood,
  /// and names a page of the documentation in place of a command. nil: `sentence` suits both.
  package var sentenceInFile: String?
  /// The character in the line that the error refers to, from 1; nil if it refers to none.
  package var column: Int?

  /// The page that describes commands and settings, as a remedy in a file.
  static let page = "the page \"console\" of the documentation has the list"

  /// Creates an error. Passwords of addresses in the sentences are masked.
  package init(_ kind: Kind, _ sentence: String, inFile: String? = nil, column: Int? = nil) {
    self.kind = kind
    self.sentence = sentence.withoutUserInfo
    sentenceInFile = inFile?.withoutUserInfo
    self.column = column
  }
}
