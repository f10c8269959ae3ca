// libsoxr, loaded by the workers that convert rates only: it draws in OpenMP, and most tracks need neither. Worker
// only, one thread, before the sandbox closes.

import CLinux
import CSoxr

/// The library's functions. Never unloaded.
struct ResamplingLibrary {
  let functions: csoxr_functions

  /// Loads it.
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
