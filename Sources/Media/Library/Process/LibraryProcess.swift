// Queries and updates the music index in separate processes, which can be abandoned if the storage hangs. Called on
// threads that may block: seconds for a query, without limit for an update.

import Platform

/// The client side of the index processes.
package enum LibraryProcess {
  /// Maximum number of files in a `LibraryVerb.files` query.
  package static let maxFiles = LibraryWindow.maxCount

  /// Runs a query.
  ///
  /// - Parameters:
  ///   - verb: Kind of the query.
  ///   - words: Its arguments.
  ///   - file: Path of the index.
  ///   - roots: Folders to which the answer is limited.
  ///   - cancellation: Ends the process early.
  package static func ask(
    _ verb: LibraryVerb, _ words: [String], in file: String, within roots: [String],
    _ cancellation: Cancellation
  ) -> LibraryAnswer {
    do throws(HelperFailure) {
      return try HelperProcess.answer(to: LibraryRequest(verb, words, in: file, within: roots), cancellation)
    } catch {
      // A query reads only the index.
      return .fault(
        error == .silent || error == .broken ? "it gives no answer" : error.reason, isBroken: false)
    }
  }

  /// Updates the index for one root.
  ///
  /// - Parameters:
  ///   - file: Path of the index.
  ///   - root: Folder to scan.
  ///   - isAfresh: Whether to clear the index first.
  ///   - cancellation: Ends the process early.
  package static func update(
    _ file: String, root: String, isAfresh: Bool, _ cancellation: Cancellation
  ) -> LibraryUpdateReport {
    do throws(HelperFailure) {
      return try HelperProcess.answer(
        to: LibraryUpdateTask(file, root: root, isAfresh: isAfresh), cancellation)
    } catch {
      return .fault(error.reason)
    }
  }
}
