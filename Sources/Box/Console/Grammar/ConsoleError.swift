// What is wrong with a line, in a sentence for the person who typed it. Pure value; any thread.

/// Why a line was refused: what, where in the line, and what to do.
package struct ConsoleError: Error, Hashable, Sendable {
  /// The kinds, for programs.
  package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    /// Not words: a control byte, broken UTF-8, an open quote, too long.
    case malformed
    /// No command of that name.
    case unknownCommand
    /// A command that needs more words, or has one too many.
    case wrongUsage
    /// A word that is not a value of the wanted kind, or out of range.
    case badValue
    /// No setting of that name.
    case unknownSetting
    /// The session must enter its PIN, or wait.
    case notAllowed
    /// Understood, but it could not be done.
    case failed

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
      }
    }
  }

  /// What kind.
  package var kind: Kind
  /// What is wrong and what to do, without "error:" and without a line number.
  package var sentence: String
  /// The character in the line it is about, from 1; nil where it is about no one character.
  package var column: Int?

  /// An error of `kind`.
  package init(_ kind: Kind, _ sentence: String, column: Int? = nil) {
    self.kind = kind
    self.sentence = sentence
    self.column = column
  }
}
