// The sandbox of the fetcher: it may open internet sockets, read the files of resolver and TLS, and write its
// spool. Entered once, before connecting; one thread.

import CLinux
import Platform

/// Resource limits, no new privileges, and a seccomp filter of allowed system calls.
enum FetcherSandbox {
  /// Descriptors that stay open, besides /dev/null as 0 to 2: the sockets to engine and worker.
  static let engine: Int32 = 3
  static let worker: Int32 = 4
  /// The spool's file, which is mapped and closed before the sandbox closes.
  static let spool: Int32 = 5

  /// Address space in bytes in addition to the spool, for TLS libraries and the resolver thread's stack.
  private static let memory: UInt64 = 384 << 20
  private static let maxDescriptors: UInt64 = 32

  /// Enters the sandbox.
  ///
  /// - Parameter window: Size of the spool in bytes.
  /// - Throws: `FetchFailure` if the sandbox is not available.
  static func enter(window: Int) throws(FetchFailure) {
    do throws(SystemError) {
      try profile(window: window).enter()
    } catch {
      throw FetchFailure(
        sentence: "This system refuses to sandbox the stream's process: \(error.description).")
    }
  }

  /// What the process may do. It opens internet sockets only; Unix sockets of local services are not allowed.
  ///
  /// - Parameter window: Size of the spool in bytes.
  static func profile(window: Int) -> SandboxProfile {
    var limits = ProcessLimits(memory: memory + UInt64(window))
    limits.descriptors = maxDescriptors
    limits.startsThreads = true
    return SandboxProfile(
      "fetcher", limits: limits, descriptors: .init(upTo: worker, standardErrorFrom: 1),
      files: .reading(ReadableFiles.ofResolver + certificates),
      rules: SystemCallRules(
        .allow(steady), .readingFiles, .internet, .startingThreads, .signalingItself(),
        .refuse(["prctl", "sched_getaffinity"], with: EPERM), .mappingLibraries))
  }

  /// Certificates that the environment names in place of the system's.
  private static var certificates: [String] { Environment.value("SSL_CERT_FILE").map { [$0] } ?? [] }

  /// The calls of steady streaming, and those for memory, time and exit.
  private static let steady = [
    "poll", "ppoll", "ppoll_time64", "recvfrom", "sendto", "recvmsg", "sendmsg", "read", "write", "writev",
    "futex", "futex_time64", "restart_syscall", "clock_gettime", "clock_gettime64", "gettimeofday",
    "getrandom",
    "sched_yield", "close", "brk", "munmap", "mremap", "madvise", "sysinfo", "uname", "exit_group", "exit",
    "rt_sigreturn", "sigreturn", "rt_sigprocmask", "rt_sigaction", "getpid", "gettid", "getuid", "geteuid",
    "getgid", "getegid", "getuid32", "geteuid32", "getgid32", "getegid32", "clock_nanosleep",
    "clock_nanosleep_time64", "nanosleep", "clock_getres", "getrusage",
  ]
}
