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

    fileprivate var name: String {
      switch self {
      case .listening: "integration that listens"
      case .connecting: "integration that connects"
      case .announcing: "integration that announces"
      }
    }

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
  private static let maxDescriptors: UInt64 = 256

  /// What an integration may do.
  package static func profile(_ reach: Reach) -> SandboxProfile {
    var limits = ProcessLimits(memory: memory)
    limits.descriptors = maxDescriptors
    if reach.files != nil { limits.data = data }
    return SandboxProfile(
      reach.name, limits: limits, files: reach.files.map { .reading($0) } ?? .unlimited,
      rules: SystemCallRules(
        .allow(calls),
        // For the control socket; also for D-Bus when announcing, and for the resolver's service when connecting.
        .creatingSockets(AF_UNIX), rules(of: reach)))
  }

  private static func rules(of reach: Reach) -> SystemCallRules {
    switch reach {
    case .listening:
      SystemCallRules(
        .allow(["accept4", "accept", "fstat", "fstat64", "newfstatat"]), .signalingItself(),
        // It cannot make other processes receive signals (F_SETOWN, F_SETOWN_EX).
        .allow(["fcntl", "fcntl64"], where: [.init(argument: 1, lacks: 8)]),
        .mappingData(isAnonymous: false),
        // stdio queries the type of a standard error that is a file.
        .refuse(["ioctl"], with: ENOTTY), .refuse(["openat", "open"], with: EACCES))
    case .announcing:
      SystemCallRules(
        .lookingUp,
        .allow([
          "getsockname", "getpeername", "shutdown", "socketpair", "pipe2", "eventfd2", "getresuid",
          "getresgid",
          "getresuid32", "getresgid32",
        ]), .readingFiles, .mappingLibraries, .refuse(["prctl"], with: EPERM))
    case .connecting:
      SystemCallRules(
        .lookingUp, .readingFiles, .internet, .mappingLibraries, .refuse(["prctl"], with: EPERM))
    }
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
}
