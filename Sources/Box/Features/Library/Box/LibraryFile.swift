// Media index in a database file, queried and updated by child processes. Any thread that may block.

import Library
import Platform

/// Implementation of `MusicIndex` by `LibraryProcess`.
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
