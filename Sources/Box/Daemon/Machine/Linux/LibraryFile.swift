// An index in a file, asked and filled by processes. Any thread that may wait.

import Library
import Platform

/// Indexes in files.
final class LibraryFile: MusicIndex {
  func ask(
    _ verb: LibraryVerb, _ words: [String], in file: String, within roots: [String],
    _ cancellation: Cancellation
  ) -> LibraryAnswer {
    LibraryProcess.ask(verb, words, in: file, within: roots, cancellation)
  }

  func update(
    _ file: String, root: String, isAfresh: Bool, _ cancellation: Cancellation
  ) -> LibraryUpdateReport {
    LibraryProcess.update(file, root: root, isAfresh: isAfresh, cancellation)
  }
}
