// Loads SQLite, only in the processes that use the index. One thread.

import CLinux
import CSQLite

/// SQLite's functions. The library is never unloaded.
struct SQLiteLibrary {
  let functions: csqlite_functions

  /// Loads the library.
  ///
  /// - Throws: `LibraryFault` with the package to install.
  init() throws(LibraryFault) {
    var functions = csqlite_functions()
    guard csqlite_load(&functions) != 0 else {
      throw LibraryFault(
        "SQLite, which the index of the music needs, cannot be loaded (\(String(cString: dlerror()))); install "
          + "Debian's package libsqlite3-0")
    }
    self.functions = functions
  }
}

/// An error of the index, as the end of a sentence.
package struct LibraryFault: Error, Hashable, Sendable {
  /// The sentence, without a full stop.
  package let sentence: String
  /// Whether the file is not a valid index and should be replaced.
  package let isBroken: Bool

  init(_ sentence: String, isBroken: Bool = false) {
    self.sentence = sentence
    self.isBroken = isBroken
  }
}
