// What goes wrong around a daemon under test: preloaded into it (LD_PRELOAD), steered by the test through a file.
// Environment: SWIFTLET_FAULTS, that file; SWIFTLET_FAULTS_FOLDER, the folder whose storage fails;
// SWIFTLET_FAULTS_CLOCK, a pipe into which 8 bytes go when the clock was set.
#ifndef SWIFTLET_FAULTS_H
#define SWIFTLET_FAULTS_H

#include <stdint.h>

enum {
  SWIFTLET_STORAGE_FINE = 0,
  /// No room: what is allocated can be written, nothing else.
  SWIFTLET_STORAGE_FULL = 1,
  /// Mounted read-only, also under files that are open.
  SWIFTLET_STORAGE_READ_ONLY = 2,
};

/// The file. The test writes all but the counters.
struct SwiftletFaults {
  /// SWIFTLET_STORAGE_...
  int32_t storage;
  /// So many writes to ttys fail with EIO.
  int32_t failing_tty_writes;
  /// Seconds that the wall clock is off.
  int64_t clock;
  /// Milliseconds that each look into a folder takes longer.
  int64_t folder_delay;
  /// Calls that were failed so far.
  int64_t failed;
};

#endif
