// Sandboxes an integration's process before it reads from the network. Listening: opens no files, connects only to
// the daemon. Connecting: also resolves names and reads certificates. Announcing: connects only to local sockets.
// None can start programs or threads. Irreversible; single thread.

import CLinux
import Platform

/// An integration's confinement: resource limits, no new privileges, and an allowlist of system calls.
package enum IntegrationSandbox {
  /// What an integration may do besides talking to the daemon.
  package enum Reach {
    /// Accept connections on its listening socket.
    case listening
    /// Connect to hosts, resolve names, and read the given certificate files and folders.
    case connecting(reading: [String])
    /// Talk to the system's D-Bus, without network access.
    case announcing

    /// The files that it may read; nil: it opens none.
    fileprivate var files: [String]? {
      switch self {
      case .listening: nil
      case .connecting(let places): ReadableFiles.ofResolver + places
      case .announcing:
        ["/etc", "/usr/lib", "/lib", "/lib64", "/usr/share/zoneinfo", "/dev/null", "/dev/urandom"]
      }
    }
  }

  /// Limits of address space in bytes, and of data for integrations that parse messages of arbitrary length.
  private static let memory: UInt64 = 256 << 20
  private static let data: UInt64 = 64 << 20
  /// Two descriptors per client plus those of the process.
  private static let descriptors: UInt64 = 256

  /// Enters the sandbox.
  ///
  /// - Throws: `SystemError` if the system does not support it.
  package static func enter(_ reach: Reach) throws(SystemError) {
    var limits = ProcessLimits(memory: memory)
    limits.descriptors = descriptors
    if reach.files != nil { limits.data = data }
    try limits.enforce()
    // On kernels without Landlock, the system call filter alone confines the process.
    if let places = reach.files { _ = ReadableFiles.restrict(to: places) }
    try filter(reach).load()
  }

  /// The allowlist of system calls.
  package static func filter(_ reach: Reach) throws(SystemError) -> SeccompFilter {
    let rules = try SeccompFilter()
    for name in calls { rules.allow(name) }
    // For the control socket; also for D-Bus when announcing, and for the resolver's service when connecting.
    rules.allow("socket", where: [.init(argument: 0, equals: UInt64(AF_UNIX))])
    switch reach {
    case .listening:
      for name in listenersCalls { rules.allow(name) }
      // The process may signal itself only, and not make other processes receive signals (F_SETOWN, F_SETOWN_EX).
      rules.allow("tgkill", where: [.init(argument: 0, equals: UInt64(getpid()))])
      for name in ["fcntl", "fcntl64"] { rules.allow(name, where: [.init(argument: 1, lacks: 8)]) }
      for name in ["mmap", "mmap2"] {
        rules.allow(name, where: [.init(argument: 2, lacks: UInt64(PROT_EXEC))])
      }
      rules.allow("mprotect", where: [.init(argument: 2, lacks: UInt64(PROT_EXEC))])
      // stdio queries the type of a standard error that is a file.
      rules.refuse("ioctl", with: ENOTTY)
      rules.refuse("openat", with: EACCES)
      rules.refuse("open", with: EACCES)
    case .announcing:
      rules.allowLookingUp()
      for name in [
        "getsockname", "getpeername", "shutdown", "socketpair", "pipe2", "eventfd2", "getresuid", "getresgid",
        "getresuid32", "getresgid32",
      ] { rules.allow(name) }
      rules.allowReadingFiles()
      rules.allowMappingLibraries()
      rules.refuse("prctl", with: EPERM)
    case .connecting:
      rules.allowLookingUp()
      rules.allowReadingFiles()
      rules.allowInternet()
      rules.allowMappingLibraries()
      rules.refuse("prctl", with: EPERM)
    }
    return rules
  }

  private static let calls = [
    "epoll_wait", "epoll_pwait", "epoll_pwait2", "epoll_ctl", "epoll_ctl_old", "poll", "ppoll",
    "ppoll_time64", "connect", "setsockopt", "getsockopt", "recvfrom", "sendto", "read", "write", "writev",
    "close",
    "dup", "dup2", "dup3", "brk", "munmap", "mremap", "madvise",
    "futex", "futex_time64", "restart_syscall", "clock_gettime", "clock_gettime64", "gettimeofday",
    "getrandom",
    "sched_yield", "getpid", "gettid", "exit", "exit_group", "rt_sigreturn", "sigreturn", "rt_sigprocmask",
    "rt_sigaction",
  ]
  private static let listenersCalls = [
    "accept4", "accept", "fstat", "fstat64", "newfstatat",
  ]
}
