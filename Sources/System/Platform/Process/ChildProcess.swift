// A process started by this one: with a chosen descriptor table, watched through a pidfd, reaped without signals. One thread: the
// kernel ties a child's parent-death signal to the thread that spawned it.

import CLinux

/// A child process. When this value goes, the child is killed and, if it
/// can die at once, reaped.
@usableFromInline package struct ChildProcess: ~Copyable {
  /// The kernel's number for it.
  package let pid: Int32
  private let watch: FileDescriptor
  /// The storage that it may wait for.
  private let storage: String?
  private var ending: Ending?

  /// How a process ended.
  package struct Ending: Hashable, Sendable {
    /// Why it is no more.
    package enum Cause: Hashable, Sendable {
      /// It exited with that status.
      case exited(Int32)
      /// That signal ended it.
      case killed(signal: Int32)
    }
    /// Why it is no more.
    package let cause: Cause
    /// The most memory it ever had resident, in KiB (getrusage(2)).
    package let peakKiB: Int

    /// Records an ending.
    package init(_ cause: Cause, peakKiB: Int) {
      self.cause = cause
      self.peakKiB = peakKiB
    }
  }

  /// How many times, a millisecond each, the death of a child is looked for that was killed.
  private static let looksAtDeath = 20

  /// Readable for poll and epoll once the child has ended. Never close it.
  package var descriptor: Int32 { watch.raw }

  /// Starts `executable`. The child has exactly `descriptors`, numbered from 0 in their order, all signals
  /// at their defaults and unblocked. `environment` holds `NAME=value` entries. No storage is waited for but that with the program.
  ///
  /// - Parameter storage: The folder whose storage the child may come to wait for; nil for none in particular.
  package static func spawn(
    _ executable: String, arguments: [String], environment: [String], descriptors: [Int32],
    storage: String? = nil
  ) throws(SystemError) -> ChildProcess {
    UnreapedChildren.ofProcess.reap()
    guard UnreapedChildren.ofProcess.count < UnreapedChildren.limit else {
      throw SystemError("posix_spawn", on: "storage that does not answer", code: SystemError.tooMany)
    }
    // Copies above the table, so that filling the table cannot overwrite a source that is still needed.
    var copies: [Int32] = []
    defer { for copy in copies { _ = close(copy) } }
    for descriptor in descriptors {
      let copy = clinux_fcntl(descriptor, F_DUPFD_CLOEXEC, Int32(descriptors.count))
      guard copy >= 0 else { throw SystemError("dup") }
      copies.append(copy)
    }
    // Arguments may be names of files, which are bytes.
    var argv = arguments.map { $0.withPath { strdup($0) } } + [nil]
    var envp = environment.map { strdup($0) } + [nil]
    defer {
      for text in argv { free(text) }
      for text in envp { free(text) }
    }
    var pid: pid_t = 0
    var error = clinux_spawn(&pid, executable, &argv, &envp, copies, Int32(copies.count))
    // QEMU's user emulation, Valgrind, and kernels before 5.9.
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

  /// Waits a moment for a child that was killed: it needs a processor to die. One that waits for storage cannot die yet, and
  /// holds up nobody.
  private func awaitDeath() {
    var entry = pollfd(fd: watch.raw, events: Int16(POLLIN), revents: 0)
    for _ in 0..<Self.looksAtDeath where poll(&entry, 1, 1) == 0 {
      if waitsForStorage { return }
    }
  }

  /// How the child ended, or nil while it runs. Does not wait.
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

  /// What the child's first thread has used and wanted so far; nil where the kernel keeps no such account
  /// (/proc/PID/schedstat).
  package var processorTime: ProcessorTime? {
    guard ending == nil else { return nil }
    return try? ProcessorTime(ofProcess: pid)
  }

  /// Whether the kernel holds the child until a device answers: it is in uninterruptible sleep (proc(5)).
  package var waitsForStorage: Bool {
    guard ending == nil, let stat = try? TextFile.read("/proc/\(pid)/stat", limit: 1024) else { return false }
    return Self.isUninterruptible(stat)
  }

  /// Whether the third field of a stat file is D. The second is a name in parentheses, which may hold anything.
  static func isUninterruptible(_ stat: String) -> Bool {
    guard let end = stat.utf8.lastIndex(of: 0x29) else { return false }
    return stat.utf8[end...].dropFirst(2).first == 0x44
  }

  /// Ends the child at once (SIGKILL); it still has to be reaped.
  package func kill() {
    if ending == nil { CLinux.kill(pid, SIGKILL) }
  }

  /// Ends the child at once, and all that it has started and that stayed in its group.
  package func killGroup() {
    if ending == nil { CLinux.kill(-pid, SIGKILL) }
  }

  /// Asks the child to end (SIGTERM).
  package func terminate() {
    if ending == nil { CLinux.kill(pid, SIGTERM) }
  }

  /// Lets the child use `seconds` of CPU time in all before the kernel ends it.
  package func allowCPU(seconds: Int) {
    if ending == nil { _ = clinux_set_soft_limit_of(pid, CLINUX_RLIMIT_CPU, UInt64(max(1, seconds))) }
  }

  /// To be called early in the child: it is killed when the spawning thread ends. False if the parent was
  /// not `parent` any more, so that the child should leave.
  package static func dieWithParent(_ parent: Int32) -> Bool {
    clinux_prctl(PR_SET_PDEATHSIG, UInt(SIGKILL)) == 0 && getppid() == parent
  }
}
