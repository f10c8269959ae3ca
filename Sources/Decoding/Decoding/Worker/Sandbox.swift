// The sandbox of the worker: it may read one file, write one ring and use one or two sockets. Entered once,
// before the first byte of media is read; one thread.

import CLinux
import Platform

/// Resource limits, no new privileges, and a seccomp filter of allowed system calls.
enum Sandbox {
  /// Descriptors that stay open, besides /dev/null as 0 to 2: the message socket, and the media file or a
  /// stream's spool.
  static let socket: Int32 = 3
  static let media: Int32 = 4
  /// The ring's file, which is mapped and closed before the sandbox closes.
  static let ring: Int32 = 5
  /// The socket to a stream's fetcher: its number in the sandbox, where the ring's was, and its number at
  /// process start.
  static let fetcher: Int32 = 5
  static let givenFetcher: Int32 = 6

  /// How the media descriptor is read.
  enum Reading {
    /// A file, with positioned reads.
    case file
    /// A pipe, read in order.
    case bytes
  }

  /// Enters the sandbox.
  ///
  /// - Parameters:
  ///   - limits: Memory and CPU limits, and whether running without a sandbox is permitted.
  ///   - hasFetcher: Whether the socket to a fetcher stays open.
  ///   - reading: How the media descriptor is read.
  /// - Returns: False if the worker runs without a sandbox.
  /// - Throws: `internalError` if the sandbox is required but not available.
  static func enter(
    _ limits: SandboxLimits, hasFetcher: Bool = false, reading: Reading = .file
  ) throws(WorkerFailure) -> Bool {
    if limits.confinement == .none { return false }
    let profile = profile(limits, hasFetcher: hasFetcher, reading: reading)
    do throws(SystemError) { try profile.limit() } catch { throw refused(error) }
    guard clinux_handle_signal(SIGSYS, reportViolation, CLINUX_SA_RESETHAND) == 0 else {
      throw refused(SystemError("sigaction"))
    }
    // Signal handlers of libraries would violate the sandbox and hide the original crash.
    for signal in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGXCPU] {
      _ = clinux_default_signal(signal)
    }
    do throws(SystemError) {
      try profile.confine()
      return true
    } catch {
      if limits.confinement == .whereAvailable { return false }
      throw WorkerFailure(
        .internalError,
        "This system refuses to sandbox the decoder: \(error.description). Without a sandbox nothing is decoded unless that is "
          + "explicitly allowed.")
    }
  }

  private static func refused(_ error: SystemError) -> WorkerFailure {
    WorkerFailure(.internalError, "The decoder's sandbox cannot be set up: \(error.description).")
  }

  /// SIGSYS handler for the calls of `nameable`. Reports the call to the engine, then makes a call that the
  /// filter kills the process for.
  private static let reportViolation:
    @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void = {
      _, info, _ in
      // `WorkerMessage.violated`, encoded by hand, because a signal handler must not allocate.
      var message: (UInt32, UInt32) = (7, info.map { UInt32(bitPattern: clinux_signal_syscall($0)) } ?? 0)
      _ = send(Sandbox.socket, &message, 8, CLINUX_MSG_DONTWAIT | CLINUX_MSG_NOSIGNAL)
      _ = clinux_syscall(Int(CLINUX_SYS_GETPPID))
    }

  /// What a worker may do.
  ///
  /// - Parameters:
  ///   - limits: Memory and CPU limits.
  ///   - hasFetcher: Whether the socket to a fetcher stays open.
  ///   - reading: How the media descriptor is read.
  static func profile(_ limits: SandboxLimits, hasFetcher: Bool, reading: Reading) -> SandboxProfile {
    let last = hasFetcher ? fetcher : media
    let sockets = hasFetcher ? [socket, fetcher] : [socket]
    var own = ProcessLimits(memory: UInt64(limits.memory) << 20)
    own.processorTime = (told: UInt64(limits.cpuSeconds), killed: CLINUX_RLIM_INFINITY)
    // All lower descriptor numbers are in use, so no descriptor can be opened.
    own.descriptors = UInt64(last) + 1
    let isFile = reading == .file
    return SandboxProfile(
      isFile ? hasFetcher ? "worker of a stream" : "worker of a file" : "worker of a live source",
      limits: own,
      // Discards output of codec libraries: the engine's stderr may be a terminal.
      descriptors: .init(upTo: last, standardErrorFrom: 1),
      rules: SystemCallRules(
        // The filter is searched in order, so the calls of steady playback come first.
        .allow([isFile ? "pread64" : "read"], onDescriptors: [media]),
        .allow(["recvfrom", "sendto"], onDescriptors: sockets),
        .allow(["poll", "ppoll", "ppoll_time64", "restart_syscall", "futex", "futex_time64"]),
        .mappingData(isAnonymous: true), .allow(["brk", "munmap", "mremap"]), advice,
        // glibc's qsort reads the memory size (sysinfo) before it sorts more than a page, as in libvorbis.
        .allow([
          "clock_gettime", "clock_gettime64", "gettimeofday", "getrandom", "sched_yield", "sysinfo",
        ]),
        // mpg123 detects NEON on ARM by executing an instruction and catching SIGILL.
        .allow(["rt_sigaction"], where: [.init(argument: 0, equals: UInt64(SIGILL))]),
        // The worker closes its sockets before it exits.
        .allow(["close"], onDescriptors: sockets),
        // Exit, and abort(), which sends SIGABRT to its own process.
        .allow(["exit_group", "exit", "rt_sigreturn", "sigreturn", "rt_sigprocmask", "getpid", "gettid"]),
        .signalingItself(by: SIGABRT),
        // Writes to stdout and stderr, which are /dev/null. stdio examines the descriptor first.
        .allow(["write", "writev"], onDescriptors: [1, 2]),
        .refuse(["newfstatat", "fstat", "fstat64", "statx", "ioctl"], with: ENOTTY),
        .trap(nameable.filter { $0 != "read" || isFile })))
  }

  /// The advice that libc uses to return memory or to request large pages.
  private static let advice = SystemCallRules(
    .allow(["madvise"], where: [.init(argument: 2, equals: UInt64(MADV_DONTNEED))]),
    .allow(["madvise"], where: [.init(argument: 2, equals: UInt64(MADV_FREE))]),
    .allow(["madvise"], where: [.init(argument: 2, equals: UInt64(MADV_HUGEPAGE))]))

  /// Forbidden calls that are reported to the engine by name.
  private static let nameable = [
    "open", "openat", "openat2", "creat", "read", "lseek", "clone", "clone3", "fork", "vfork", "execve",
    "execveat", "socket", "connect", "bind", "sendmsg", "recvmsg", "kill", "ptrace", "unlink", "unlinkat",
    "rename", "renameat", "renameat2", "mkdir", "mkdirat", "ftruncate", "memfd_create", "process_vm_writev",
    "prlimit64", "setrlimit", "prctl", "setuid", "io_uring_setup", "nanosleep", "clock_nanosleep",
  ]
}
