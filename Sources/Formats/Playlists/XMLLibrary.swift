// Loads libexpat at run time, because only XSPF playlists need it. Worker process only, one thread, before the sandbox
// closes.

import CExpat
import CLinux

/// The functions of libexpat. Never unloaded.
struct XMLLibrary {
  let functions: cexpat_functions

  /// Loads the library.
  ///
  /// - Throws: `missingLibrary` if it is not installed.
  init() throws(PlaylistFailure) {
    var functions = cexpat_functions()
    guard cexpat_load(&functions) != 0 else {
      throw PlaylistFailure(
        .missingLibrary,
        "This is an XSPF playlist, and libexpat, which parses it, cannot be loaded "
          + "(\(String(cString: dlerror()))); install Debian's package libexpat1.")
    }
    self.functions = functions
  }
}
