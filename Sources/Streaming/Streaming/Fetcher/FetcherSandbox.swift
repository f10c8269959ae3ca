// Confines the fetcher before it connects: from then on it can open sockets of the internet and read the files of resolver and TLS,
// write its spool, and nothing else. One way; one thread.

import CLinux
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
  private static let descriptors: UInt64 = 32

  /// Closes the sandbox.
  ///
  /// - Parameter window: Bytes of the spool.
  static func enter(window: Int) throws(FetchFailure) {
    do throws(SystemError) {
      guard dup2(1, 2) == 2, clinux_close_from(UInt32(worker) + 1) == 0 else {
        throw SystemError("dup2 or close_range")
      }
      var limits = ProcessLimits(memory: memory + UInt64(window))
      limits.descriptors = descriptors
      limits.startsThreads = true
      try limits.enforce()
      // Where the kernel has no Landlock, the list of system calls has to do.
      _ = ReadableFiles.restrict(to: ReadableFiles.ofResolver + certificates)
      try filter().load()
    } catch {
      throw FetchFailure(
        sentence: "This system refuses to sandbox the stream's process: \(error.description).")
    }
  }

  /// Those that the environment names in place of the system's.
  private static var certificates: [String] { Environment.value("SSL_CERT_FILE").map { [$0] } ?? [] }

  /// What it may call.
  static func filter() throws(SystemError) -> SeccompFilter {
    let rules = try SeccompFilter()
    for name in steady { rules.allow(name) }
    rules.allowReadingFiles()
    // Sockets of this machine's services have no business here.
    rules.allowInternet()
    allowThreads(rules)
    rules.allowMappingLibraries()
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
