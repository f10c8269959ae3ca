// Why a reader's process gives up. A pure value; any thread.

/// A sentence for the person at the box, without the reader's name and without a full stop.
package struct ReaderFailure: Error, Hashable {
  /// What is wrong, where, and what to do.
  package let sentence: String

  init(_ sentence: String) { self.sentence = sentence }
}
