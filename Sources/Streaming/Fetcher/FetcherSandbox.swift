// Confines the fetcher before it connects: from then on it can open sockets of the internet and read files, as resolver and TLS do,
// write its spool, and nothing else. One way; one thread.

import CLinux
import Confinement
import Platform

/// The fetcher's confinement: limits, no new privileges, and a list of allowed system calls.
enum FetcherSandbox {
  /// Descriptors that stay: /dev/null three times, the engine's socket, the worker's.
  static let engine: Int32 = 3
  static let worker: Int32 = 4
  /// The spool's file is mapped and closed before the sandbox closes.
  static let spool: Int32 = 5

  /// Bytes of address space beside the spool: libraries of TLS, and the stack of the thread that resolves names.
  private static let memory: UInt64 = 384 << 20
  private static let files: UInt64 = 32

  /// Closes the sandbox.
  ///
  /// - Parameter window: Bytes of the spool.
  static func enter(window: Int) throws(FetchFailure) {
    guard dup2(1, 2) == 2, clinux_close_from(UInt32(worker) + 1) == 0 else { throw refused("close_range") }
    let memory = memory + UInt64(window)
    guard clinux_prctl(PR_SET_NO_NEW_PRIVS, 1) == 0, clinux_prctl(PR_SET_DUMPABLE, 0) == 0,
      clinux_set_limit(CLINUX_RLIMIT_AS, memory, memory) == 0,
      clinux_set_limit(CLINUX_RLIMIT_NOFILE, files, files) == 0,
      clinux_set_limit(CLINUX_RLIMIT_FSIZE, 0, 0) == 0, clinux_set_limit(CLINUX_RLIMIT_CORE, 0, 0) == 0
    else { throw refused("setrlimit or prctl") }
    let error = filter()?.load() ?? -ENOMEM
    guard error == 0 else {
      throw FetchFailure(
        sentence:
          "This system refuses to sandbox the stream's process (\(String(cString: strerror(-error))), seccomp)."
      )
    }
  }

  private static func refused(_ call: String) -> FetchFailure {
    FetchFailure(
      sentence: "The sandbox of the stream's process cannot be set up: \(SystemError(call).description).")
  }

  /// What it may call; nil without memory.
  static func filter() -> SeccompFilter? {
    guard let rules = SeccompFilter() else { return nil }
    for name in steady { rules.allow(name) }
    allowFiles(rules)
    allowSockets(rules)
    allowThreads(rules)
    for name in ["mmap", "mmap2"] {
      // Libraries that the resolver loads are mapped to be run, and nothing that can be written is.
      rules.allow(name, where: [.init(argument: 2, lacks: UInt64(PROT_EXEC))])
      rules.allow(name, where: [.init(argument: 2, lacks: UInt64(PROT_WRITE))])
    }
    rules.allow("mprotect", where: [.init(argument: 2, lacks: UInt64(PROT_EXEC))])
    return rules
  }

  /// The calls of steady play, and those of memory, time and the end.
  private static let steady = [
    "poll", "ppoll", "ppoll_time64", "recvfrom", "sendto", "recvmsg", "sendmsg", "read", "write", "writev",
    "futex",
    "futex_time64", "restart_syscall", "clock_gettime", "clock_gettime64", "gettimeofday", "getrandom",
    "sched_yield",
    "close", "brk", "munmap", "mremap", "madvise", "sysinfo", "uname", "exit_group", "exit", "rt_sigreturn",
    "sigreturn", "rt_sigprocmask", "rt_sigaction", "getpid", "gettid", "getuid", "geteuid", "getgid",
    "getegid",
    "getuid32", "geteuid32", "getgid32", "getegid32", "clock_nanosleep", "clock_nanosleep_time64",
    "nanosleep",
    "clock_getres", "getrusage",
  ]

  /// Reading, never writing: the kernel's flags for a file say so.
  private static func allowFiles(_ rules: SeccompFilter) {
    let writing = UInt64(O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)
    rules.allow("open", where: [.init(argument: 1, lacks: writing)])
    rules.allow("openat", where: [.init(argument: 2, lacks: writing)])
    for name in [
      "newfstatat", "fstatat64", "fstat", "fstat64", "stat", "stat64", "lstat", "statx", "lseek", "_llseek",
      "pread64",
      "access", "faccessat", "faccessat2", "readlink", "readlinkat", "getdents64", "getcwd", "fstatfs",
      "fstatfs64",
    ] { rules.allow(name) }
    // Not those that name who gets signals (F_SETOWN, F_SETOWN_EX; FIOSETOWN, SIOCSPGRP): that may be any process of this user. The one
    // of its kind that the resolver needs gives an interface's number, for an address with a scope.
    for name in ["fcntl", "fcntl64"] { rules.allow(name, where: [.init(argument: 1, lacks: 8)]) }
    rules.allow("ioctl", where: [.init(argument: 1, lacks: 0x8000)])
    rules.allow("ioctl", where: [.init(argument: 1, equals: 0x8933)])
  }

  /// Sockets of the internet, and the kernel's own list of addresses. Sockets of this machine's services have no business here.
  private static func allowSockets(_ rules: SeccompFilter) {
    for family in [AF_INET, AF_INET6, CLINUX_AF_NETLINK] {
      rules.allow("socket", where: [.init(argument: 0, equals: UInt64(family))])
    }
    rules.allow("socketpair", where: [.init(argument: 0, equals: UInt64(AF_UNIX))])
    for name in [
      "connect", "getsockname", "getpeername", "getsockopt", "setsockopt", "shutdown", "sendmmsg", "recvmmsg",
      "recvmmsg_time64", "eventfd2", "pipe2",
    ] { rules.allow(name) }
    // The resolver binds to no address of its own but netlink's.
    rules.allow("bind")
  }

  /// The resolver works in a thread of its own. A process cannot be made.
  private static func allowThreads(_ rules: SeccompFilter) {
    rules.allow("clone", where: [.init(argument: 0, has: UInt64(CLINUX_CLONE_THREAD))])
    // Its flags lie in memory, where no filter sees them; libc uses the older call then.
    rules.refuse("clone3", with: ENOSYS)
    for name in ["set_robust_list", "rseq", "sigaltstack"] { rules.allow(name) }
    // To itself: other processes are this user's, too.
    rules.allow("tgkill", where: [.init(argument: 0, equals: UInt64(getpid()))])
    rules.refuse("prctl", with: EPERM)
    rules.refuse("sched_getaffinity", with: EPERM)
  }
}
