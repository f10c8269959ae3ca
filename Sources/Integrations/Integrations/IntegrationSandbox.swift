// Confines an integration before it hears a word of the network: sockets, memory, time, and nothing else. One that listens opens no file and
// connects to nothing but the box; one that connects also looks up names and reads certificates; one that announces connects to sockets
// of this machine. None starts a program or a thread. One way; one thread.

import CLinux
import Platform

/// An integration's confinement: limits, no new privileges, and a list of allowed system calls.
package enum IntegrationSandbox {
  /// What an integration may do besides asking the box.
  package enum Reach {
    /// It accepts connections at the address that it has.
    case listening
    /// It makes connections, for which it looks up names and reads certificates: these files and what lies below these folders.
    case connecting(reading: [String])
    /// It speaks to the system's D-Bus, and to nothing in the network.
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

  /// Bytes of address space; of memory that one has which others send messages of any length.
  private static let memory: UInt64 = 256 << 20
  private static let data: UInt64 = 64 << 20
  /// Each client has two, and a few are the process's own.
  private static let descriptors: UInt64 = 256

  /// Closes the sandbox. Throws where this system has none.
  package static func enter(_ reach: Reach) throws(SystemError) {
    var limits = ProcessLimits(memory: memory)
    limits.descriptors = descriptors
    if reach.files != nil { limits.data = data }
    try limits.enforce()
    // Where the kernel has no Landlock, the list of system calls has to do.
    if let places = reach.files { _ = ReadableFiles.restrict(to: places) }
    try filter(reach).load()
  }

  /// What it may call.
  package static func filter(_ reach: Reach) throws(SystemError) -> SeccompFilter {
    let rules = try SeccompFilter()
    for name in calls { rules.allow(name) }
    // To the control socket; one that announces speaks to D-Bus by such a socket, and one that connects to the resolver's service.
    rules.allow("socket", where: [.init(argument: 0, equals: UInt64(AF_UNIX))])
    switch reach {
    case .listening:
      for name in listenersCalls { rules.allow(name) }
      // Signals to itself only; and nothing that names who else gets some (F_SETOWN, F_SETOWN_EX).
      rules.allow("tgkill", where: [.init(argument: 0, equals: UInt64(getpid()))])
      for name in ["fcntl", "fcntl64"] { rules.allow(name, where: [.init(argument: 1, lacks: 8)]) }
      for name in ["mmap", "mmap2"] {
        rules.allow(name, where: [.init(argument: 2, lacks: UInt64(PROT_EXEC))])
      }
      rules.allow("mprotect", where: [.init(argument: 2, lacks: UInt64(PROT_EXEC))])
      // A program whose standard error is a file may look at it.
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
