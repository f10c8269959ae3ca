// Sandboxes the process that reads a PN532 in two steps: first it may only open its device, then only use the open
// device. It can create no sockets, files or processes. Irreversible; single thread.

import CLinux
import Platform

/// The reader's confinement: resource limits, no new privileges, and allowlists of system calls.
package enum ReaderSandbox {
  /// The phases of the reader's process.
  package enum Phase {
    /// libnfc is opening the device.
    case opening
    /// The device is open; nothing further may be opened.
    case reading
  }

  /// Descriptor of the device, following /dev/null, the pipe to the daemon and the standard error.
  static let device: Int32 = 3
  /// Highest descriptor in use: libnfc opens a pipe in addition to a serial line.
  private static let last: Int32 = 5
  private static let memory: UInt64 = 256 << 20

  /// Enters the first phase, in which libnfc may open one device.
  static func enter(opening path: String) throws(ReaderFailure) {
    do throws(SystemError) {
      guard clinux_close_from(UInt32(device)) == 0 else { throw SystemError("close_range") }
      var limits = ProcessLimits(memory: memory)
      limits.descriptors = UInt64(last) + 2
      try limits.enforce()
    } catch { throw refused(error) }
    // On kernels without Landlock, the system call filter alone confines the process.
    _ = UsableDevice.restrict(to: path)
    try load(.opening)
  }

  /// Enters the second phase, in which nothing can be opened.
  static func enterReading() throws(ReaderFailure) { try load(.reading) }

  private static func load(_ phase: Phase) throws(ReaderFailure) {
    do throws(SystemError) { try filter(phase).load() } catch { throw refused(error) }
  }

  private static func refused(_ error: SystemError) -> ReaderFailure {
    ReaderFailure("this system refuses to sandbox its process: \(error.description)")
  }

  /// The allowlist of system calls for a phase.
  package static func filter(_ phase: Phase) throws(SystemError) -> SeccompFilter {
    let rules = try SeccompFilter()
    for descriptor in device...last {
      for name in ["read", "write"] { rules.allow(name, onDescriptor: descriptor) }
    }
    // Serial line settings, count of waiting bytes, SPI transfers.
    rules.allow("ioctl", onDescriptor: device)
    for name in ["write", "writev"] {
      rules.allow(name, onDescriptor: 1)
      rules.allow(name, onDescriptor: 2)
    }
    for name in calls { rules.allow(name) }
    for name in ["mmap", "mmap2", "mprotect"] {
      rules.allow(name, where: [.init(argument: 2, lacks: UInt64(PROT_EXEC))])
    }
    if phase == .opening {
      for name in [
        "openat", "open", "close", "pipe", "pipe2", "fstat", "fstat64", "newfstatat", "statx", "seccomp",
        "prctl",
      ] { rules.allow(name) }
    } else {
      rules.refuse("close", with: EBADF)
    }
    return rules
  }

  private static let calls = [
    "poll", "ppoll", "ppoll_time64", "select", "_newselect", "pselect6", "pselect6_time64", "nanosleep",
    "clock_nanosleep", "clock_nanosleep_time64", "clock_gettime", "clock_gettime64", "gettimeofday", "time",
    "alarm", "setitimer", "brk", "munmap", "mremap", "madvise", "futex", "futex_time64", "restart_syscall",
    "getrandom",
    "sched_yield", "getpid", "gettid", "exit", "exit_group", "rt_sigreturn", "sigreturn", "rt_sigprocmask",
  ]
}
