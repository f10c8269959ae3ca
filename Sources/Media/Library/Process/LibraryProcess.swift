// Asks and fills the index from processes of their own, which can be given up where the storage hangs. Threads that may wait: seconds
// for an answer, as long as it takes for an update.

import CLinux
import Platform

/// The index as those have it who are not its process.
package enum LibraryProcess {
  /// Nanoseconds after which a question is given up.
  private static let maxAnswerLength: UInt64 = 25_000_000_000
  /// Nanoseconds after which an update is given up that does not get on.
  private static let maxSilence: UInt64 = 120_000_000_000
  private static let maxBytes = 1 << 20
  /// Files that one question of `LibraryVerb.files` can be about.
  package static let maxFiles = LibraryWindow.maxCount

  /// Asks for what lies beneath some folders.
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

  /// Brings it up to date with what lies beneath a folder.
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
