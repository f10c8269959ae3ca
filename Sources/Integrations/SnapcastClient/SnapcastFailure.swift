// The error that ends a connection to a Snapcast server. A value; any thread.

/// An error message for the user, without the source's name.
package struct SnapcastFailure: Error, Hashable {
  /// What failed, and where.
  package let sentence: String

  init(_ sentence: String) { self.sentence = sentence }
}
