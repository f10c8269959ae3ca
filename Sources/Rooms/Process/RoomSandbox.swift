// Confines the receiver once it is connected: from then on it hears one server, writes to one pipe, and can do nothing else. It opens no file and
// no socket. One way; one thread.

import CLinux
import Confinement
import Platform

/// The confinement of what receives from a server of rooms: limits, no new privileges, and a list of allowed system calls.
package enum RoomSandbox {
  /// Where the connection stays, behind /dev/null, the pipe and the standard error.
  static let server: Int32 = 3
  private static let memory: UInt64 = 256 << 20

  /// Closes the sandbox.
  static func enter() throws(RoomFailure) {
    // What a codec library prints ends in /dev/null.
    guard dup2(0, 2) == 2, clinux_close_from(UInt32(server) + 1) == 0,
      clinux_prctl(PR_SET_NO_NEW_PRIVS, 1) == 0, clinux_prctl(PR_SET_DUMPABLE, 0) == 0,
      clinux_set_limit(CLINUX_RLIMIT_AS, memory, memory) == 0,
      clinux_set_limit(CLINUX_RLIMIT_NOFILE, UInt64(server) + 1, UInt64(server) + 1) == 0,
      clinux_set_limit(CLINUX_RLIMIT_FSIZE, 0, 0) == 0, clinux_set_limit(CLINUX_RLIMIT_CORE, 0, 0) == 0,
      clinux_set_limit(CLINUX_RLIMIT_NPROC, 0, 0) == 0
    else {
      throw RoomFailure("its sandbox cannot be set up: \(SystemError("setrlimit or prctl").description)")
    }
    let error = filter()?.load() ?? -ENOMEM
    guard error == 0 else {
      throw RoomFailure(
        "this system refuses to sandbox its receiver (\(String(cString: strerror(-error))), seccomp)")
    }
  }

  /// What it may call; nil without memory.
  package static func filter() -> SeccompFilter? {
    guard let rules = SeccompFilter() else { return nil }
    for name in ["recvfrom", "sendto"] { rules.allow(name, onDescriptor: server) }
    for name in ["write", "writev"] {
      rules.allow(name, onDescriptor: 1)
      rules.allow(name, onDescriptor: 2)
    }
    for name in [
      "poll", "ppoll", "ppoll_time64", "brk", "munmap", "mremap", "madvise", "futex", "futex_time64",
      "restart_syscall", "clock_gettime", "clock_gettime64", "gettimeofday", "getrandom", "sched_yield",
      "exit_group", "exit", "rt_sigreturn", "sigreturn", "rt_sigprocmask", "getpid", "gettid",
    ] { rules.allow(name) }
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
}
