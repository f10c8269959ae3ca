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
  static func enterForLookUp() throws(SnapcastFailure) { try enter(lookUp) }

  /// Enters the second phase, in which only the connection and the pipe can be used.
  static func enter() throws(SnapcastFailure) { try enter(receiving) }

  private static func enter(_ profile: SandboxProfile) throws(SnapcastFailure) {
    do throws(SystemError) {
      try profile.enter()
    } catch {
      throw SnapcastFailure("this system refuses to sandbox its receiver: \(error.description)")
    }
  }

  /// What the process may do until the connection exists: it creates no files, processes or threads.
  package static let lookUp = SandboxProfile(
    "receiver of a room that looks up its server", limits: nil, files: .reading(ReadableFiles.ofResolver),
    rules: SystemCallRules(
      .allow(
        anytime + [
          "read", "write", "writev", "recvfrom", "sendto", "close", "rt_sigaction", "seccomp", "prctl",
          "prlimit64", "setrlimit", "ugetrlimit", "getrlimit", "close_range", "dup2", "dup3",
        ]), .readingFiles, .internet,
      // mDNS names are resolved by a local service (nss-mdns, Avahi).
      .creatingSockets(AF_UNIX), .lookingUp, .mappingLibraries))

  /// What the process may do once connected.
  package static let receiving: SandboxProfile = {
    var limits = ProcessLimits(memory: memory)
    limits.descriptors = UInt64(server) + 1
    return SandboxProfile(
      "receiver of a room", limits: limits,
      // Output of a codec library goes to /dev/null.
      descriptors: .init(upTo: server, standardErrorFrom: 0),
      rules: SystemCallRules(
        .allow(["recvfrom", "sendto"], onDescriptors: [server]),
        .allow(["write", "writev"], onDescriptors: [1, 2]), .allow(anytime), .mappingData(isAnonymous: false),
        .signalingItself(by: SIGABRT),
        // stdio queries a descriptor's type before it writes.
        .refuse(["newfstatat", "fstat", "fstat64", "statx", "ioctl"], with: ENOTTY)))
  }()

  /// System calls for waiting, memory, time and exit, allowed in both phases.
  private static let anytime = [
    "poll", "ppoll", "ppoll_time64", "brk", "munmap", "mremap", "madvise", "futex", "futex_time64",
    "restart_syscall", "clock_gettime", "clock_gettime64", "gettimeofday", "getrandom", "sched_yield",
    "exit_group", "exit", "rt_sigreturn", "sigreturn", "rt_sigprocmask", "getpid", "gettid",
  ]
}
