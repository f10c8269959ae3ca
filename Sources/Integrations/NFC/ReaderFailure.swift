// The error with which an NFC reader's process ends. A value; any thread.

/// An error message for the user, without the reader's name and without a full stop.
package struct ReaderFailure: Error, Hashable {
  /// What failed, where, and what to do.
  package let sentence: String

  init(_ sentence: String) { self.sentence = sentence }
}
