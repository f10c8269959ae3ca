// Sandboxes the process that reads a PN532 in two steps: first it may only open its device, then only use the open
// device. It can create no sockets, files or processes. Irreversible; single thread.

import CLinux
import Platform

/// The reader's confinement: resource limits, no new privileges, and allowlists of system calls.
package enum ReaderSandbox {
  /// The phases of the reader's process.
  package enum Phase {
    /// libnfc is opening the device.
    case opening
    /// The device is open; nothing further may be opened.
    case reading
  }

  /// Descriptor of the device, following /dev/null, the pipe to the daemon and the standard error.
  static let device: Int32 = 3
  /// Highest descriptor in use: libnfc opens a pipe in addition to a serial line.
  private static let last: Int32 = 5
  private static let memory: UInt64 = 256 << 20

  /// Enters the first phase, in which libnfc may open one device.
  static func enter(opening path: String) throws(ReaderFailure) {
    try enter(profile(.opening, device: path))
  }

  /// Enters the second phase, in which nothing can be opened.
  static func enterReading() throws(ReaderFailure) { try enter(profile(.reading)) }

  private static func enter(_ profile: SandboxProfile) throws(ReaderFailure) {
    do throws(SystemError) {
      try profile.enter()
    } catch {
      throw ReaderFailure("this system refuses to sandbox its process: \(error.description)")
    }
  }

  /// What the process may do in a phase.
  ///
  /// - Parameters:
  ///   - phase: The phase.
  ///   - path: The device that may be opened.
  package static func profile(_ phase: Phase, device path: String? = nil) -> SandboxProfile {
    var limits = ProcessLimits(memory: memory)
    limits.descriptors = UInt64(last) + 2
    let isOpening = phase == .opening
    return SandboxProfile(
      isOpening ? "reader of tags, as it opens its device" : "reader of tags",
      limits: isOpening ? limits : nil,
      descriptors: isOpening ? .init(upTo: device - 1) : nil, files: path.map { .device($0) } ?? .unlimited,
      rules: SystemCallRules(
        .allow(["read", "write"], onDescriptors: Array(device...last)),
        // Serial line settings, count of waiting bytes, SPI transfers.
        .allow(["ioctl"], onDescriptors: [device]),
        .allow(["write", "writev"], onDescriptors: [1, 2]), .allow(calls), .mappingData(isAnonymous: false),
        isOpening ? .allow(openingCalls) : .refuse(["close"], with: EBADF)))
  }

  /// Calls by which libnfc opens a device, and those that enter the second phase.
  private static let openingCalls = [
    "openat", "open", "close", "pipe", "pipe2", "fstat", "fstat64", "newfstatat", "statx", "seccomp", "prctl",
  ]
  private static let calls = [
    "poll", "ppoll", "ppoll_time64", "select", "_newselect", "pselect6", "pselect6_time64", "nanosleep",
    "clock_nanosleep", "clock_nanosleep_time64", "clock_gettime", "clock_gettime64", "gettimeofday", "time",
    "alarm", "setitimer", "brk", "munmap", "mremap", "madvise", "futex", "futex_time64", "restart_syscall",
    "getrandom",
    "sched_yield", "getpid", "gettid", "exit", "exit_group", "rt_sigreturn", "sigreturn", "rt_sigprocmask",
  ]
}
