// Confines the receiver once it is connected: from then on it hears one server, writes to one pipe, and can do nothing else. It opens no file and
// no socket. While it looks up its server's name it may do what the resolver does. One way; one thread.

import CLinux
import Confinement
import Platform

/// The confinement of what receives from a server of rooms: limits, no new privileges, and a list of allowed system calls.
package enum RoomSandbox {
  /// Where the connection stays, behind /dev/null, the pipe and the standard error.
  static let server: Int32 = 3
  private static let memory: UInt64 = 256 << 20

  /// Leaves what is needed to look up a name, to connect, and to close the sandbox.
  static func enterForLookUp() throws(RoomFailure) {
    guard clinux_prctl(PR_SET_NO_NEW_PRIVS, 1) == 0 else {
      throw RoomFailure("its sandbox cannot be set up: \(SystemError("prctl").description)")
    }
    // Where the kernel has no Landlock, the list of system calls has to do.
    _ = ReadableFiles.restrict(to: ReadableFiles.ofResolver)
    try load(filterForLookUp())
  }

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
    try load(filter())
  }

  private static func load(_ filter: SeccompFilter?) throws(RoomFailure) {
    let error = filter?.load() ?? -ENOMEM
    guard error == 0 else {
      throw RoomFailure(
        "this system refuses to sandbox its receiver (\(String(cString: strerror(-error))), seccomp)")
    }
  }

  /// What it may call until it is connected: nothing that makes a file, a process or a thread; nil without memory.
  package static func filterForLookUp() -> SeccompFilter? {
    guard let rules = SeccompFilter() else { return nil }
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

  /// What it may call; nil without memory.
  package static func filter() -> SeccompFilter? {
    guard let rules = SeccompFilter() else { return nil }
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
