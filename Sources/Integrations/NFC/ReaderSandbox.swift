// Confines the process that reads a PN532: first to opening its one device, then, before it looks for a tag, to the device that it has. It makes no
// socket, file or process. One way; one thread.

import CLinux
import Platform

/// The confinement of a reader's process: limits, no new privileges, and lists of allowed system calls.
package enum ReaderSandbox {
  /// What it is about to do.
  package enum Phase {
    /// libnfc opens the device.
    case opening
    /// Nothing is opened any more.
    case reading
  }

  /// The device, behind /dev/null, the pipe to the box and the standard error.
  static let device: Int32 = 3
  /// libnfc has a pipe of its own beside a serial line.
  private static let last: Int32 = 5
  private static let memory: UInt64 = 256 << 20

  /// Closes the sandbox around one device; libnfc may still open that.
  static func enter(opening path: String) throws(ReaderFailure) {
    do throws(SystemError) {
      guard clinux_close_from(UInt32(device)) == 0 else { throw SystemError("close_range") }
      var limits = ProcessLimits(memory: memory)
      limits.descriptors = UInt64(last) + 2
      try limits.enforce()
    } catch { throw refused(error) }
    // Where the kernel has no Landlock, the list of system calls has to do.
    _ = UsableDevice.restrict(to: path)
    try load(.opening)
  }

  /// From now on nothing is opened.
  static func enterReading() throws(ReaderFailure) { try load(.reading) }

  private static func load(_ phase: Phase) throws(ReaderFailure) {
    do throws(SystemError) { try filter(phase).load() } catch { throw refused(error) }
  }

  private static func refused(_ error: SystemError) -> ReaderFailure {
    ReaderFailure("this system refuses to sandbox its process: \(error.description)")
  }

  /// What it may call.
  package static func filter(_ phase: Phase) throws(SystemError) -> SeccompFilter {
    let rules = try SeccompFilter()
    for descriptor in device...last {
      for name in ["read", "write"] { rules.allow(name, onDescriptor: descriptor) }
    }
    // The line's settings and what waits in it; a transfer of SPI.
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
