// Why a track could not be decoded (to its end). A value; any thread.

/// The end of a worker that did not do what it was for: a kind to act on and a sentence for a person.
package struct WorkerFailure: Error, Hashable, Sendable {
  /// What went wrong, as far as the engine's next step depends on it.
  package enum Kind: UInt32, CaseIterable, Sendable {
    /// There is no such file.
    case missing = 1
    /// The file cannot be opened, or reading it failed.
    case unreadable
    /// No plugin decodes this content.
    case unsupportedFormat
    /// The content is damaged beyond playing.
    case corrupt
    /// The content is encrypted.
    case protected
    /// The worker died, ran out of its allowance, or talked nonsense.
    case decoderCrashed
    /// The worker made no progress and was killed.
    case decoderHung
    /// The worker did what its sandbox forbids and was killed for it.
    case decoderBrokeSandbox
    /// The engine could not start or confine a worker.
    case internalError
    /// The stream's source does not answer, refuses, or has broken off.
    case network
    /// The stream's source says no, and would say so again.
    case refused
    /// The folder that the file lies beneath is not there, or empty: its disk or share is not mounted.
    case away
  }

  /// What went wrong.
  package let kind: Kind
  /// One sentence without the file's name: what happened, and what can be done where something can.
  package let sentence: String

  /// Why a path is not opened that leads out of the folders for media.
  package static var outsideRoots: WorkerFailure {
    WorkerFailure(.missing, "It lies outside the media folders.")
  }

  /// Records a failure.
  package init(_ kind: Kind, _ sentence: String) {
    self.kind = kind
    self.sentence = sentence
  }
}
