// The monotonic clock. Any thread.

import CLinux

/// The monotonic clock, which is independent of the wall clock.
package enum MonotonicClock {
  /// Nanoseconds since an arbitrary time before the start of the process.
  package static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
