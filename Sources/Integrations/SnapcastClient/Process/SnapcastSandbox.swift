// Confines the receiver once it is connected: from then on it hears one server, writes to one pipe, and can do nothing else. It opens no file and
// no socket. While it looks up its server's name it may do what the resolver does. One way; one thread.

import CLinux
import Platform

/// The confinement of what receives from a server of rooms: limits, no new privileges, and a list of allowed system calls.
package enum SnapcastSandbox {
  /// Where the connection stays, behind /dev/null, the pipe and the standard error.
  static let server: Int32 = 3
  private static let memory: UInt64 = 256 << 20

  /// Leaves what is needed to look up a name, to connect, and to close the sandbox.
  static func enterForLookUp() throws(SnapcastFailure) {
    do throws(SystemError) {
      guard clinux_prctl(PR_SET_NO_NEW_PRIVS, 1) == 0 else { throw SystemError("prctl") }
      // Where the kernel has no Landlock, the list of system calls has to do.
      _ = ReadableFiles.restrict(to: ReadableFiles.ofResolver)
      try filterForLookUp().load()
    } catch { throw refused(error) }
  }

  /// Closes the sandbox.
  static func enter() throws(SnapcastFailure) {
    do throws(SystemError) {
      // What a codec library prints ends in /dev/null.
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

  /// What it may call until it is connected: nothing that makes a file, a process or a thread.
  package static func filterForLookUp() throws(SystemError) -> SeccompFilter {
    let rules = try SeccompFilter()
    for name in anytime + [
      "read", "write", "writev", "recvfrom", "sendto", "close", "rt_sigaction", "seccomp", "prctl",
      "prlimit64", "setrlimit",
      "ugetrlimit", "getrlimit", "close_range", "dup2", "dup3",
    ] { rules.allow(name) }
    rules.allowReadingFiles()
    rules.allowInternet()
    // Names of the home network (mDNS) are known to a service of this machine.
    rules.allow("socket", where: [.init(argument: 0, equals: UInt64(AF_UNIX))])
    rules.allowLookingUp()
    rules.allowMappingLibraries()
    return rules
  }

  /// What it may call.
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
    // Libraries that print ask first what kind of file that is.
    for name in ["newfstatat", "fstat", "fstat64", "statx", "ioctl"] { rules.refuse(name, with: ENOTTY) }
    return rules
  }

  /// Waiting, memory, time and the end.
  private static let anytime = [
    "poll", "ppoll", "ppoll_time64", "brk", "munmap", "mremap", "madvise", "futex", "futex_time64",
    "restart_syscall", "clock_gettime", "clock_gettime64", "gettimeofday", "getrandom", "sched_yield",
    "exit_group", "exit", "rt_sigreturn", "sigreturn", "rt_sigprocmask", "getpid", "gettid",
  ]
}
