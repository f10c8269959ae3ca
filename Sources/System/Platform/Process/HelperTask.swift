// Tasks of helper processes that give one answer and exit. Values; any thread.

/// A task, with its encoding as arguments of a hidden subcommand.
package protocol HelperTask: Sendable {
  associatedtype Answer: HelperAnswer

  /// The hidden subcommand of `swiftlet` that performs it.
  static var subcommand: String { get }
  /// Maximum size of an answer in bytes.
  static var maxAnswer: Int { get }
  /// Timeout without output, in nanoseconds.
  static var timeout: UInt64 { get }
  /// Whether other processes have precedence over this one.
  static var yieldsToOthers: Bool { get }
  /// The folder whose storage the process may block on; nil: none in particular.
  var storage: String? { get }
  /// The arguments after the process id of the parent.
  var words: [String] { get }

  /// Parses `words`; nil if they are invalid.
  init?(_ words: ArraySlice<String>)
}

extension HelperTask {
  package static var yieldsToOthers: Bool { false }
}

/// The answer to a task, with its encoding as bytes. It may come from a process that has parsed untrusted files.
package protocol HelperAnswer: Sendable {
  var bytes: [UInt8] { get }

  /// Parses an answer; nil if it is invalid or truncated.
  init?(_ bytes: [UInt8])
}

/// Why a helper process gave no answer.
package enum HelperFailure: Error, Equatable, Sendable {
  /// It gave no output in time, or too many processes are blocked by its storage already.
  case silent
  case cancelled
  /// It ended without a whole answer, as by a crash, or its answer was too long.
  case broken
  /// It could not be started.
  case notStarted(SystemError)

  /// The end of a sentence.
  package var reason: String {
    switch self {
    case .silent: "its storage does not answer"
    case .cancelled: "it was given up"
    case .broken: "its process broke off"
    case .notStarted(let error): error.description
    }
  }
}
