// Why a receiver gives up its server. A pure value; any thread.

/// A sentence for the person at the box, without the source's name.
package struct SnapcastFailure: Error, Hashable {
  /// What went wrong, and where.
  package let sentence: String

  init(_ sentence: String) { self.sentence = sentence }
}
