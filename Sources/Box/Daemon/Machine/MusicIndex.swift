// The index of the music as a machine keeps it: in a file, by processes of its own. Any thread that may wait for storage.

import Library
import Platform

/// Answers questions about music by its tags. Class-bound, for Embedded Swift; used by background workers.
package protocol MusicIndex: AnyObject, Sendable {
  /// Asks an index about what lies beneath some folders; waits half a minute at worst.
  func ask(
    _ verb: LibraryVerb, _ words: [String], in file: String, within roots: [String],
    _ cancellation: Cancellation
  ) -> LibraryAnswer
  /// Brings an index up to date with what lies beneath a folder, or makes it afresh; waits for as long as that takes.
  func update(
    _ file: String, root: String, isAfresh: Bool, _ cancellation: Cancellation
  ) -> LibraryUpdateReport
}
