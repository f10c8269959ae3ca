// libc's heap: a box keeps for years what it needed for a moment. Any thread but the audio thread, which allocates nothing.

import CLinux

/// The memory of this process that `malloc` hands out.
package enum Heap {
  /// Has all threads take theirs from one heap. glibc makes a new one for a thread that finds the heap busy, and keeps it when the
  /// thread has gone: 0.1 MB for each look at storage. Call it before there is a second thread.
  package static func shareAmongThreads() { clinux_share_heap() }

  /// Gives what is free back to the system, after something that is not done again soon.
  package static func giveBack() { clinux_trim_heap() }
}
