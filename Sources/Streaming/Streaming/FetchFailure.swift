// Why a stream is not had, or not any more. A value; made in the fetcher, read by the engine.

/// The end of a stream, or of one connection.
package struct FetchFailure: Error, Hashable, Sendable {
  /// What may end otherwise the next time.
  package enum Remedy: UInt32, CaseIterable, Sendable {
    /// Nothing: the same answer would come again.
    case nothing
    /// The stream, begun anew.
    case retrying
    /// Another connection, for the bytes that are missing.
    case reconnecting
  }

  /// What it is that cannot be had.
  package enum Kind: UInt32, CaseIterable, Sendable {
    /// The bytes.
    case bytes
    /// Their sound: it is of a kind that nothing here plays.
    case format
    /// Their sound: it is encrypted.
    case protection
  }

  /// One sentence without the URL: what happened, and what can be done where something can.
  package let sentence: String
  /// What may help.
  package var remedy = Remedy.nothing
  /// What cannot be had.
  package var kind = Kind.bytes
}
