// SQLite, loaded by the processes that have the index only. One thread.

import CLinux
import CSQLite

/// The library's functions. Never unloaded.
struct SQLiteLibrary {
  let functions: csqlite_functions

  /// Loads it.
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

/// Why the index does not do what it should, as the end of a sentence.
package struct LibraryFault: Error, Hashable, Sendable {
  /// The sentence, without its full stop.
  package let sentence: String
  /// Whether the file is no index, so that another one in its place would help.
  package let isBroken: Bool

  init(_ sentence: String, isBroken: Bool = false) {
    self.sentence = sentence
    self.isBroken = isBroken
  }
}
