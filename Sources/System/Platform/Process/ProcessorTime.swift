// How much of a processor a process got, and how long it had to wait for one. Any thread.

import CLinux

/// The kernel's account of a thread, in nanoseconds since it began.
package struct ProcessorTime: Hashable, Sendable {
  /// Spent running.
  package var ran: UInt64
  /// Spent ready to run, but without a processor.
  package var queued: UInt64

  /// An account; that of a thread that has just begun, if nothing is said.
  package init(ran: UInt64 = 0, queued: UInt64 = 0) {
    self.ran = ran
    self.queued = queued
  }

  /// Reads the account of a process's first thread from /proc/PID/schedstat, whose first two numbers it is
  /// (Documentation/scheduler/sched-stats.rst of the kernel). Throws where the kernel keeps none.
  init(ofProcess pid: Int32) throws(SystemError) {
    let path = "/proc/\(pid)/schedstat"
    let fields = try TextFile.read(path, limit: 256).utf8.split { $0 == 0x20 || $0 == 0x0A }
    guard fields.count >= 2, let ran = UInt64(Substring(fields[0])), let queued = UInt64(Substring(fields[1]))
    else { throw SystemError("read", on: path, code: EINVAL) }
    self.init(ran: ran, queued: queued)
  }
}
