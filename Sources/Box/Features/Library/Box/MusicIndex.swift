// Interface to the media index, which separate processes query and update. Any thread that may block on storage.

import Library
import Platform

/// Queries and updates the index of music tags. Class-bound for Embedded Swift; used by background workers.
package protocol MusicIndex: AnyObject, Sendable {
  /// Queries an index; blocks for at most 30 s.
  ///
  /// - Parameters:
  ///   - verb: Kind of query.
  ///   - words: Arguments of the query.
  ///   - file: Path of the index.
  ///   - roots: Folders to which the results are limited.
  ///   - cancellation: Cancels the query.
  func ask(
    _ verb: LibraryVerb, _ words: [String], in file: String, within roots: [String],
    _ cancellation: Cancellation
  ) -> LibraryAnswer
  /// Updates an index with the files below a folder; blocks until done.
  ///
  /// - Parameters:
  ///   - file: Path of the index.
  ///   - root: The folder.
  ///   - isAfresh: Whether to rebuild the index from scratch.
  ///   - cancellation: Cancels the update.
  func update(
    _ file: String, root: String, isAfresh: Bool, _ cancellation: Cancellation
  ) -> LibraryUpdateReport
}
