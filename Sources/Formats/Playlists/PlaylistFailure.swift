// The reason why a playlist has no entries. A value; any thread.

/// A playlist that cannot be parsed: a kind to act on, and a sentence for the user.
package struct PlaylistFailure: Error, Hashable, Sendable {
  /// The kind of a failure.
  package enum Kind: Sendable {
    /// The content is no text, or malformed before its first entry.
    case malformed
    /// A library that parses this kind of playlist is not installed.
    case missingLibrary
  }

  /// The kind of the failure.
  package let kind: Kind
  /// One sentence without the file's name: the cause, and a remedy if there is one.
  package let sentence: String

  init(_ kind: Kind, _ sentence: String) {
    self.kind = kind
    self.sentence = sentence
  }
}
