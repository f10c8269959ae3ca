// Confines a neighbour once it listens: sockets, memory, time, and nothing else. It opens no file, starts no program, and has no
// address on the network but the one it listens at. One way; one thread.

import CLinux
import Confinement
import Platform

/// A neighbour's confinement: limits, no new privileges, and a list of allowed system calls.
package enum NeighbourSandbox {
  private static let memory: UInt64 = 256 << 20
  /// Each client has two, and a few are the process's own.
  private static let files: UInt64 = 256

  /// Closes the sandbox. Throws a sentence's worth of why it cannot.
  package static func enter() throws(SystemError) {
    guard clinux_prctl(PR_SET_NO_NEW_PRIVS, 1) == 0, clinux_prctl(PR_SET_DUMPABLE, 0) == 0,
      clinux_set_limit(CLINUX_RLIMIT_AS, memory, memory) == 0,
      clinux_set_limit(CLINUX_RLIMIT_NOFILE, files, files) == 0,
      clinux_set_limit(CLINUX_RLIMIT_FSIZE, 0, 0) == 0, clinux_set_limit(CLINUX_RLIMIT_CORE, 0, 0) == 0
    else { throw SystemError("setrlimit or prctl", on: "the sandbox") }
    guard let rules = SeccompFilter() else { throw SystemError("seccomp", on: "the sandbox", code: ENOMEM) }
    for name in calls { rules.allow(name) }
    // To the control socket, and to nothing else: it is the only one that this process makes.
    rules.allow("socket", where: [.init(argument: 0, equals: UInt64(AF_UNIX))])
    for name in ["mmap", "mmap2"] { rules.allow(name, where: [.init(argument: 2, lacks: UInt64(PROT_EXEC))]) }
    rules.allow("mprotect", where: [.init(argument: 2, lacks: UInt64(PROT_EXEC))])
    // A program whose standard error is a file may look at it.
    rules.refuse("ioctl", with: ENOTTY)
    rules.refuse("openat", with: EACCES)
    rules.refuse("open", with: EACCES)
    let error = rules.load()
    guard error == 0 else { throw SystemError("seccomp", on: "the sandbox", code: -error) }
  }

  private static let calls = [
    "epoll_wait", "epoll_pwait", "epoll_pwait2", "epoll_ctl", "epoll_ctl_old", "poll", "ppoll",
    "ppoll_time64", "accept4", "accept",
    "connect", "setsockopt", "getsockopt", "recvfrom", "sendto", "read", "write", "writev", "close", "fcntl",
    "fcntl64", "dup", "dup2", "dup3", "fstat", "fstat64", "newfstatat", "brk", "munmap", "mremap", "madvise",
    "futex", "futex_time64", "restart_syscall", "clock_gettime", "clock_gettime64", "gettimeofday",
    "getrandom",
    "sched_yield", "getpid", "gettid", "exit", "exit_group", "rt_sigreturn", "sigreturn", "rt_sigprocmask",
    "rt_sigaction", "kill", "tgkill",
  ]
}
