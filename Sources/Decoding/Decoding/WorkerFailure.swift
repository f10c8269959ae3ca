// The reason why a track could not be decoded, or not to its end. A value; any thread.

import Playlists

/// A failed worker: a kind for the engine to act on, and a sentence for the user.
package struct WorkerFailure: Error, Hashable, Sendable {
  /// The kind of a failure.
  package enum Kind: UInt32, CaseIterable, Sendable {
    /// The file does not exist.
    case missing = 1
    /// The file cannot be opened or read.
    case unreadable
    /// No plugin decodes this format.
    case unsupportedFormat
    /// The content is too damaged to play.
    case corrupt
    /// The content is encrypted.
    case protected
    /// The worker crashed, exceeded a resource limit, or sent an invalid message.
    case decoderCrashed
    /// The worker made no progress and was killed.
    case decoderHung
    /// The worker made a system call that its sandbox forbids and was killed.
    case decoderBrokeSandbox
    /// The engine could not start or sandbox a worker.
    case internalError
    /// The stream's server does not respond, refuses the request, or closed the connection. A retry may
    /// succeed.
    case network
    /// The stream's server refused the request permanently. A retry would fail too.
    case refused
    /// The media folder is missing or an empty mount point: its disk or share is not mounted.
    case away
  }

  /// The kind of the failure.
  package let kind: Kind
  /// One sentence without the file's name: the cause, and a remedy if there is one.
  package let sentence: String

  /// The failure for a path outside the media folders.
  package static var outsideRoots: WorkerFailure {
    WorkerFailure(.missing, "It lies outside the media folders.")
  }

  /// Creates a failure.
  package init(_ kind: Kind, _ sentence: String) {
    self.kind = kind
    self.sentence = sentence
  }

  /// The failure of a worker that cannot parse a playlist.
  init(_ failure: PlaylistFailure) {
    switch failure.kind {
    case .malformed: self.init(.corrupt, failure.sentence)
    case .missingLibrary: self.init(.internalError, failure.sentence)
    }
  }
}
