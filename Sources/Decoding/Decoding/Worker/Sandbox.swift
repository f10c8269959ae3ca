// Confines the worker before it reads the first byte of media: from then on it can read one file, write one
// ring, talk on one socket, and nothing else. One way; one thread.

import CLinux
import Platform

/// The worker's confinement: limits, no new privileges, and a list of allowed system calls.
enum Sandbox {
  /// Descriptors that stay: /dev/null three times, the message socket, the media file or a stream's spool.
  static let socket: Int32 = 3
  static let media: Int32 = 4
  /// The ring's file is mapped and closed before the sandbox closes.
  static let ring: Int32 = 5
  /// Where the socket to a stream's fetcher stays, for which the ring's place is free by then, and where it comes from.
  static let fetcher: Int32 = 5
  static let givenFetcher: Int32 = 6

  /// How what a worker decodes comes to it.
  enum Reading {
    /// A file, read wherever it is wanted.
    case file
    /// Bytes one after another, which come when they like.
    case bytes
  }

  /// Closes the sandbox. False where there is none and `limits` tolerate that.
  ///
  /// - Parameter hasFetcher: Whether the socket to a fetcher stays, too.
  static func enter(
    _ limits: SandboxLimits, hasFetcher: Bool = false, reading: Reading = .file
  ) throws(WorkerFailure) -> Bool {
    if limits.confinement == .none { return false }
    let last = hasFetcher ? fetcher : media
    // What a codec library prints ends here: the engine's stderr may be a terminal.
    guard dup2(1, 2) == 2, clinux_close_from(UInt32(last) + 1) == 0 else {
      throw refused(SystemError("dup2 or close_range"))
    }
    var own = ProcessLimits(memory: UInt64(limits.memory) << 20)
    own.processorTime = (told: UInt64(limits.cpuSeconds), killed: CLINUX_RLIM_INFINITY)
    // All numbers below are taken, so there is none left for another descriptor.
    own.descriptors = UInt64(last) + 1
    do throws(SystemError) { try own.enforce() } catch { throw refused(error) }
    guard clinux_handle_signal(SIGSYS, reportViolation, CLINUX_SA_RESETHAND) == 0 else {
      throw refused(SystemError("sigaction"))
    }
    // A library's crash handler would run into the sandbox and hide what happened.
    for signal in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGXCPU] {
      _ = clinux_default_signal(signal)
    }
    do throws(SystemError) {
      try filter(hasFetcher: hasFetcher, reading: reading).load()
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

  /// Runs when a call on the nameable list was refused: tells the engine which, then makes a call that no
  /// list allows, so that the kernel ends the process with SIGSYS.
  private static let reportViolation:
    @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void = {
      _, info, _ in
      // WorkerMessage.violated, spelt out: nothing may be allocated here.
      var message: (UInt32, UInt32) = (7, info.map { UInt32(bitPattern: clinux_signal_syscall($0)) } ?? 0)
      _ = send(Sandbox.socket, &message, 8, CLINUX_MSG_DONTWAIT | CLINUX_MSG_NOSIGNAL)
      _ = clinux_syscall(Int(CLINUX_SYS_GETPPID))
    }

  /// What it may call.
  static func filter(hasFetcher: Bool, reading: Reading = .file) throws(SystemError) -> SeccompFilter {
    let rules = try SeccompFilter()
    // The calls of steady play, most frequent first: the filter is a list.
    switch reading {
    case .file: rules.allow("pread64", onDescriptor: media)
    case .bytes: rules.allow("read", onDescriptor: media)
    }
    for name in ["recvfrom", "sendto"] {
      rules.allow(name, onDescriptor: socket)
      if hasFetcher { rules.allow(name, onDescriptor: fetcher) }
    }
    for name in ["poll", "ppoll", "ppoll_time64", "restart_syscall", "futex", "futex_time64"] {
      rules.allow(name)
    }
    // Memory, never executable, never a file's.
    for name in ["mmap", "mmap2"] {
      rules.allow(
        name,
        where: [.init(argument: 2, lacks: UInt64(PROT_EXEC)), .init(argument: 3, has: UInt64(MAP_ANONYMOUS))])
    }
    rules.allow("mprotect", where: [.init(argument: 2, lacks: UInt64(PROT_EXEC))])
    for name in ["brk", "munmap", "mremap"] { rules.allow(name) }
    // What libc gives back or wants in large pages; other advice changes what a fork, a dump or another process sees.
    for advice in [MADV_DONTNEED, MADV_FREE, MADV_HUGEPAGE] {
      rules.allow("madvise", where: [.init(argument: 2, equals: UInt64(advice))])
    }
    for name in ["clock_gettime", "clock_gettime64", "gettimeofday", "getrandom", "sched_yield"] {
      rules.allow(name)
    }
    // glibc's qsort asks how much memory there is before it sorts more than a page (libvorbis does).
    rules.allow("sysinfo")
    // mpg123 looks for NEON on ARM by trying it, and catches SIGILL meanwhile.
    rules.allow("rt_sigaction", where: [.init(argument: 0, equals: UInt64(SIGILL))])
    // A worker that has said all closes its sockets before it exits.
    rules.allow("close", onDescriptor: socket)
    if hasFetcher { rules.allow("close", onDescriptor: fetcher) }
    // The end: exit, and abort() with what it needs to deliver SIGABRT to itself and nobody else.
    for name in ["exit_group", "exit", "rt_sigreturn", "sigreturn", "rt_sigprocmask", "getpid", "gettid"] {
      rules.allow(name)
    }
    rules.allow(
      "tgkill",
      where: [.init(argument: 0, equals: UInt64(getpid())), .init(argument: 2, equals: UInt64(SIGABRT))])
    // Libraries that print: both are /dev/null. stdio asks first what kind of file that is.
    for name in ["write", "writev"] {
      rules.allow(name, onDescriptor: 1)
      rules.allow(name, onDescriptor: 2)
    }
    for name in ["newfstatat", "fstat", "fstat64", "statx", "ioctl"] { rules.refuse(name, with: ENOTTY) }
    for name in nameable where name != "read" || reading == .file { rules.trap(name) }
    return rules
  }

  /// Forbidden like all others; for these the engine can tell a person which it was.
  private static let nameable = [
    "open", "openat", "openat2", "creat", "read", "lseek", "clone", "clone3", "fork", "vfork", "execve",
    "execveat", "socket", "connect", "bind", "sendmsg", "recvmsg", "kill", "ptrace", "unlink", "unlinkat",
    "rename", "renameat", "renameat2", "mkdir", "mkdirat", "ftruncate", "memfd_create", "process_vm_writev",
    "prlimit64", "setrlimit", "prctl", "setuid", "io_uring_setup", "nanosleep", "clock_nanosleep",
  ]
}
