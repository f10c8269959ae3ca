// Processor time of a thread: running, and waiting for a processor. Any thread.

import CLinux

/// The kernel's scheduling statistics of a thread, in nanoseconds since it started.
package struct ProcessorTime: Hashable, Sendable {
  /// Time spent running.
  package var ran: UInt64
  /// Time spent runnable but without a processor.
  package var queued: UInt64

  /// Creates statistics, by default those of a new thread.
  package init(ran: UInt64 = 0, queued: UInt64 = 0) {
    self.ran = ran
    self.queued = queued
  }

  /// Reads the statistics of a process's first thread: the first two numbers in /proc/PID/schedstat
  /// (Documentation/scheduler/sched-stats.rst in the kernel).
  ///
  /// - Throws: If the kernel does not record them.
  init(ofProcess pid: Int32) throws(SystemError) {
    let path = "/proc/\(pid)/schedstat"
    let fields = try TextFile.read(path, limit: 256).utf8.split { $0 == 0x20 || $0 == 0x0A }
    guard fields.count >= 2, let ran = UInt64(Substring(fields[0])), let queued = UInt64(Substring(fields[1]))
    else { throw SystemError("read", on: path, code: EINVAL) }
    self.init(ran: ran, queued: queued)
  }
}
