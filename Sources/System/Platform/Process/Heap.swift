// Settings of libc's heap, which otherwise keeps memory that was needed only briefly. Any thread but the
// audio thread.

import CLinux

/// The heap of this process.
package enum Heap {
  /// Makes all threads share one heap. Otherwise glibc creates a new arena for a thread that finds the heap
  /// locked and keeps it after the thread has ended, which costs 0.1 MB per storage thread. Call it before
  /// starting threads.
  package static func shareAmongThreads() { clinux_share_heap() }

  /// Returns free memory to the system, after work that is not repeated soon.
  package static func giveBack() { clinux_trim_heap() }
}
