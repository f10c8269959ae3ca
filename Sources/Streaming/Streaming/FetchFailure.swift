// The reason why a stream failed. A value; created in the fetcher, read by the engine.

/// The failure of a stream, or of one connection.
package struct FetchFailure: Error, Hashable, Sendable {
  /// What may succeed next.
  package enum Remedy: UInt32, CaseIterable, Sendable {
    /// Nothing; a retry would give the same answer.
    case nothing
    /// Starting the stream again.
    case retrying
    /// Reconnecting for the missing bytes.
    case reconnecting
  }

  /// What failed.
  package enum Kind: UInt32, CaseIterable, Sendable {
    /// The transfer.
    case bytes
    /// The content: its format cannot be played.
    case format
    /// The content: it is encrypted.
    case protection
    /// The content: the server always breaks it off at the same byte.
    case truncation
  }

  /// One sentence without the URL: the cause, and a remedy if there is one.
  package let sentence: String
  /// What may succeed next.
  package var remedy = Remedy.nothing
  /// What failed.
  package var kind = Kind.bytes
}
