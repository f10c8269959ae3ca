// Loads libsoxr at run time, only in workers that convert rates, because it depends on OpenMP. Worker process
// only, one thread, before the sandbox closes.

import CLinux
import CSoxr

/// The functions of libsoxr. Never unloaded.
struct ResamplingLibrary {
  let functions: csoxr_functions

  /// Loads the library.
  ///
  /// - Throws: `internalError` if it is not installed.
  init() throws(WorkerFailure) {
    var functions = csoxr_functions()
    guard csoxr_load(&functions) != 0 else {
      throw WorkerFailure(
        .internalError,
        "The file's rate is not the output's, and libsoxr, which converts it, cannot be loaded "
          + "(\(String(cString: dlerror()))); install Debian's package libsoxr0.")
    }
    self.functions = functions
  }
}
