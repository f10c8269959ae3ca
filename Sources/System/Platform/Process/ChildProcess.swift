// A child process with a chosen descriptor table, watched through a pidfd and reaped without SIGCHLD. One
// thread: the kernel ties the parent-death signal to the thread that spawned the child.

import CLinux

/// A child process. Releasing it kills the child and reaps it if it dies promptly.
@usableFromInline package struct ChildProcess: ~Copyable {
  /// The process id.
  package let pid: Int32
  private let watch: FileDescriptor
  /// The folder whose storage it may block on.
  private let storage: String?
  private var ending: Ending?

  /// The end of a process.
  package struct Ending: Hashable, Sendable {
    /// The cause of the end.
    package enum Cause: Hashable, Sendable {
      /// The process exited with a status.
      case exited(Int32)
      /// A signal killed the process.
      case killed(signal: Int32)
    }
    /// The cause of the end.
    package let cause: Cause
    /// The peak of resident memory, in KiB (getrusage(2)).
    package let peakKiB: Int

    /// Creates an ending.
    package init(_ cause: Cause, peakKiB: Int) {
      self.cause = cause
      self.peakKiB = peakKiB
    }
  }

  /// The number of polls, one millisecond each, for the death of a killed child.
  private static let looksAtDeath = 20

  /// For poll and epoll: readable once the child has ended. Do not close it.
  package var descriptor: Int32 { watch.raw }

  /// Starts a program with default signal handlers and no blocked signals. Blocks on no storage except the
  /// program's own.
  ///
  /// - Parameters:
  ///   - executable: The program's path.
  ///   - arguments: The arguments, beginning with the program's name.
  ///   - environment: Entries of the form `NAME=value`.
  ///   - descriptors: The child's only descriptors, numbered from 0 in this order.
  ///   - storage: The folder whose storage the child may block on; nil if there is none in particular.
  package static func spawn(
    _ executable: String, arguments: [String], environment: [String], descriptors: [Int32],
    storage: String? = nil
  ) throws(SystemError) -> ChildProcess {
    UnreapedChildren.ofProcess.reap()
    guard UnreapedChildren.ofProcess.count < UnreapedChildren.limit else {
      throw SystemError("posix_spawn", on: "storage that does not answer", code: SystemError.tooMany)
    }
    // Duplicate to numbers above the new table, so that filling it cannot overwrite a source.
    var copies: [Int32] = []
    defer { for copy in copies { _ = close(copy) } }
    for descriptor in descriptors {
      let copy = clinux_fcntl(descriptor, F_DUPFD_CLOEXEC, Int32(descriptors.count))
      guard copy >= 0 else { throw SystemError("dup") }
      copies.append(copy)
    }
    // Arguments may be file names, which are bytes.
    var argv = arguments.map { $0.withPath { strdup($0) } } + [nil]
    var envp = environment.map { strdup($0) } + [nil]
    defer {
      for text in argv { free(text) }
      for text in envp { free(text) }
    }
    var pid: pid_t = 0
    var error = clinux_spawn(&pid, executable, &argv, &envp, copies, Int32(copies.count))
    // QEMU's user-mode emulation, Valgrind, and kernels before 5.9.
    if error == EINVAL || error == ENOSYS {
      error = SpawnByCopy.start(executable, copies, &argv, &envp, &pid)
    }
    guard error == 0 else { throw SystemError("posix_spawn", on: executable, code: error) }
    let watch = clinux_pidfd_open(pid)
    guard watch >= 0 else {
      let failure = SystemError("pidfd_open", on: executable)
      var status: Int32 = 0
      CLinux.kill(pid, SIGKILL)
      waitpid(pid, &status, 0)
      throw failure
    }
    return ChildProcess(pid: pid, watch: FileDescriptor(owning: watch), storage: storage, ending: nil)
  }

  deinit {
    guard ending == nil else { return }
    CLinux.kill(pid, SIGKILL)
    if !UnreapedChildren.ofProcess.isReapedAtOnce { awaitDeath() }
    var status: Int32 = 0
    if waitpid(pid, &status, WNOHANG) == 0 {
      UnreapedChildren.ofProcess.add(pid, watch, on: storage)
    }
  }

  /// Waits briefly for a killed child, which needs processor time to die. Returns early if it is
  /// blocked on storage.
  private func awaitDeath() {
    var entry = pollfd(fd: watch.raw, events: Int16(POLLIN), revents: 0)
    for _ in 0..<Self.looksAtDeath where poll(&entry, 1, 1) == 0 {
      if waitsForStorage { return }
    }
  }

  /// The child's end; nil while it runs. Does not block.
  package mutating func reap() -> Ending? {
    if let ending { return ending }
    var status: Int32 = 0
    var usage = rusage()
    guard wait4(pid, &status, WNOHANG, &usage) == pid else { return nil }
    let cause: Ending.Cause =
      clinux_signalled(status) != 0
      ? .killed(signal: clinux_term_signal(status)) : .exited(clinux_exit_code(status))
    ending = Ending(cause, peakKiB: usage.ru_maxrss)
    return ending
  }

  /// Processor time of the child's first thread; nil if the kernel does not record it (/proc/PID/schedstat).
  package var processorTime: ProcessorTime? {
    guard ending == nil else { return nil }
    return try? ProcessorTime(ofProcess: pid)
  }

  /// Whether the child is in uninterruptible sleep, waiting for a device (proc(5)).
  package var waitsForStorage: Bool {
    guard ending == nil, let stat = try? TextFile.read("/proc/\(pid)/stat", limit: 1024) else { return false }
    return Self.isUninterruptible(stat)
  }

  /// Whether the third field of a stat file is D. The second field is a name in parentheses, which may
  /// contain any bytes.
  static func isUninterruptible(_ stat: String) -> Bool {
    guard let end = stat.utf8.lastIndex(of: 0x29) else { return false }
    return stat.utf8[end...].dropFirst(2).first == 0x44
  }

  /// Kills the child (SIGKILL); it still has to be reaped.
  package func kill() {
    if ending == nil { CLinux.kill(pid, SIGKILL) }
  }

  /// Kills the child and all processes of its group.
  package func killGroup() {
    if ending == nil { CLinux.kill(-pid, SIGKILL) }
  }

  /// Asks the child to exit (SIGTERM).
  package func terminate() {
    if ending == nil { CLinux.kill(pid, SIGTERM) }
  }

  /// Limits the child's total CPU time.
  package func allowCPU(seconds: Int) {
    if ending == nil { _ = clinux_set_soft_limit_of(pid, CLINUX_RLIMIT_CPU, UInt64(max(1, seconds))) }
  }

  /// Requests SIGKILL when the spawning thread ends. To be called early in the child.
  ///
  /// - Returns: False if `parent` has already exited, in which case the child should exit, too.
  package static func dieWithParent(_ parent: Int32) -> Bool {
    clinux_prctl(PR_SET_PDEATHSIG, UInt(SIGKILL)) == 0 && getppid() == parent
  }
}
