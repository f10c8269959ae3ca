// Sandbox of a picture process, entered before the first byte of media is read. After that, the process can only read
// its open files and write its answer. Irreversible; one thread.

import CLinux
import Platform

/// The sandbox of a picture process.
package enum PictureSandbox {
  /// Limit of the address space in bytes: the program and several copies of a picture.
  private static let memory: UInt64 = 256 << 20
  /// Limit of file sizes, which applies if the output is a file.
  private static let answer = UInt64(PictureAnswer.maxBytes)
  private static let cpuSeconds: UInt64 = 5

  /// Enters the sandbox.
  ///
  /// - Throws: `SystemError` if the sandbox is unavailable; the process must not continue then.
  static func enter() throws(SystemError) {
    var limits = ProcessLimits(memory: memory)
    limits.processorTime = (told: cpuSeconds, killed: cpuSeconds)
    limits.fileSize = answer
    try limits.enforce()
    try filter().load()
  }

  /// The permitted system calls.
  package static func filter() throws(SystemError) -> SeccompFilter {
    let rules = try SeccompFilter()
    for name in ["pread64", "poll", "ppoll", "ppoll_time64"] { rules.allow(name) }
    // Only the output may be closed: closing a media file may block on storage. The process exit closes it.
    for name in ["write", "writev", "close"] { rules.allow(name, onDescriptor: 1) }
    for name in ["mmap", "mmap2"] {
      rules.allow(
        name,
        where: [.init(argument: 2, lacks: UInt64(PROT_EXEC)), .init(argument: 3, has: UInt64(MAP_ANONYMOUS))])
    }
    rules.allow("mprotect", where: [.init(argument: 2, lacks: UInt64(PROT_EXEC))])
    for name in [
      "brk", "munmap", "mremap", "madvise", "futex", "futex_time64", "restart_syscall", "clock_gettime",
      "clock_gettime64", "getrandom", "exit", "exit_group", "rt_sigreturn", "sigreturn",
    ] { rules.allow(name) }
    return rules
  }
}
