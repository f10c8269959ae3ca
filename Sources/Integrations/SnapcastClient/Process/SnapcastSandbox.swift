// Sandboxes the Snapcast client once it is connected: it can only receive from one server and write to one pipe, and
// open no file or socket. During name lookup the resolver's system calls are allowed as well. Irreversible; single
// thread.

import CLinux
import Platform

/// The Snapcast client's confinement: resource limits, no new privileges, and allowlists of system calls.
package enum SnapcastSandbox {
  /// Descriptor of the connection, following /dev/null, the pipe and the standard error.
  static let server: Int32 = 3
  private static let memory: UInt64 = 256 << 20

  /// Enters the first phase: name lookup, connecting, and entering the second phase.
  static func enterForLookUp() throws(SnapcastFailure) {
    do throws(SystemError) {
      guard clinux_prctl(PR_SET_NO_NEW_PRIVS, 1) == 0 else { throw SystemError("prctl") }
      // On kernels without Landlock, the system call filter alone confines the process.
      _ = ReadableFiles.restrict(to: ReadableFiles.ofResolver)
      try filterForLookUp().load()
    } catch { throw refused(error) }
  }

  /// Enters the second phase, in which only the connection and the pipe can be used.
  static func enter() throws(SnapcastFailure) {
    do throws(SystemError) {
      // Output of a codec library goes to /dev/null.
      guard dup2(0, 2) == 2, clinux_close_from(UInt32(server) + 1) == 0 else {
        throw SystemError("dup2 or close_range")
      }
      var limits = ProcessLimits(memory: memory)
      limits.descriptors = UInt64(server) + 1
      try limits.enforce()
      try filter().load()
    } catch { throw refused(error) }
  }

  private static func refused(_ error: SystemError) -> SnapcastFailure {
    SnapcastFailure("this system refuses to sandbox its receiver: \(error.description)")
  }

  /// The allowlist until the connection exists: no creation of files, processes or threads.
  package static func filterForLookUp() throws(SystemError) -> SeccompFilter {
    let rules = try SeccompFilter()
    for name in anytime + [
      "read", "write", "writev", "recvfrom", "sendto", "close", "rt_sigaction", "seccomp", "prctl",
      "prlimit64", "setrlimit",
      "ugetrlimit", "getrlimit", "close_range", "dup2", "dup3",
    ] { rules.allow(name) }
    rules.allowReadingFiles()
    rules.allowInternet()
    // mDNS names are resolved by a local service (nss-mdns, Avahi).
    rules.allow("socket", where: [.init(argument: 0, equals: UInt64(AF_UNIX))])
    rules.allowLookingUp()
    rules.allowMappingLibraries()
    return rules
  }

  /// The allowlist once connected.
  package static func filter() throws(SystemError) -> SeccompFilter {
    let rules = try SeccompFilter()
    for name in ["recvfrom", "sendto"] { rules.allow(name, onDescriptor: server) }
    for name in ["write", "writev"] {
      rules.allow(name, onDescriptor: 1)
      rules.allow(name, onDescriptor: 2)
    }
    for name in anytime { rules.allow(name) }
    for name in ["mmap", "mmap2", "mprotect"] {
      rules.allow(name, where: [.init(argument: 2, lacks: UInt64(PROT_EXEC))])
    }
    rules.allow(
      "tgkill",
      where: [.init(argument: 0, equals: UInt64(getpid())), .init(argument: 2, equals: UInt64(SIGABRT))])
    // stdio queries a descriptor's type before it writes.
    for name in ["newfstatat", "fstat", "fstat64", "statx", "ioctl"] { rules.refuse(name, with: ENOTTY) }
    return rules
  }

  /// System calls for waiting, memory, time and exit, allowed in both phases.
  private static let anytime = [
    "poll", "ppoll", "ppoll_time64", "brk", "munmap", "mremap", "madvise", "futex", "futex_time64",
    "restart_syscall", "clock_gettime", "clock_gettime64", "gettimeofday", "getrandom", "sched_yield",
    "exit_group", "exit", "rt_sigreturn", "sigreturn", "rt_sigprocmask", "getpid", "gettid",
  ]
}
