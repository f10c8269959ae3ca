// Fault injection for a daemon under test: preloaded (LD_PRELOAD) and controlled by the test through a file.
// Environment: SWIFTLET_FAULTS, that file; SWIFTLET_FAULTS_FOLDER, the folder whose storage fails;
// SWIFTLET_FAULTS_CLOCK, a pipe that gets 8 bytes when the clock is set.
#ifndef SWIFTLET_FAULTS_H
#define SWIFTLET_FAULTS_H

#include <stdint.h>

enum {
  SWIFTLET_STORAGE_FINE = 0,
  /// No space: only allocated blocks can be written.
  SWIFTLET_STORAGE_FULL = 1,
  /// Mounted read-only, also for files that are already open.
  SWIFTLET_STORAGE_READ_ONLY = 2,
};

/// The content of the file. The test writes all fields but the counters.
struct SwiftletFaults {
  /// SWIFTLET_STORAGE_...
  int32_t storage;
  /// This many writes to ttys fail with EIO.
  int32_t failing_tty_writes;
  /// Offset of the wall clock in seconds.
  int64_t clock;
  /// Additional delay of each folder access in milliseconds.
  int64_t folder_delay;
  /// Number of calls that failed so far.
  int64_t failed;
};

#endif
