// Queries and updates the music index in separate processes, which can be abandoned if the storage hangs. Called on
// threads that may block: seconds for a query, without limit for an update.

import CLinux
import Platform

/// The client side of the index processes.
package enum LibraryProcess {
  /// Timeout of a query in nanoseconds.
  private static let maxAnswerLength: UInt64 = 25_000_000_000
  /// Timeout of an update without progress, in nanoseconds.
  private static let maxSilence: UInt64 = 120_000_000_000
  private static let maxBytes = 1 << 20
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
    let task = LibraryTask.ask(file: file, roots: roots, verb, words)
    do throws(SystemError) {
      let bytes = try AskedProcess.answer(
        to: task.words(parent: getpid()), on: nil, silentFor: maxAnswerLength, maxBytes: maxBytes,
        cancellation)
      return bytes.flatMap { LibraryAnswer($0) } ?? .fault("it gives no answer", isBroken: false)
    } catch {
      return .fault(error.description, isBroken: false)
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
    let task = LibraryTask.update(file: file, root: root, isAfresh: isAfresh)
    do throws(SystemError) {
      let bytes = try AskedProcess.answer(
        to: task.words(parent: getpid()), on: root, silentFor: maxSilence, maxBytes: maxBytes,
        cancellation)
      guard let bytes else {
        return .fault(cancellation.isSet ? "it was given up" : "its storage does not answer")
      }
      return LibraryUpdateReport(bytes) ?? .fault("its process broke off")
    } catch {
      return .fault(error.description)
    }
  }
}
