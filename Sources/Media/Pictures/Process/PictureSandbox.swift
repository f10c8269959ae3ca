// Confines a picture process before it reads the first byte of media: from then on it can read the files that are open, write its answer,
// and nothing else. One way; one thread.

import CLinux
import Platform

/// A picture process's confinement.
package enum PictureSandbox {
  /// Bytes of address space: a picture some times over, and the program.
  private static let memory: UInt64 = 256 << 20
  /// Of an answer, where a person has it written to a file.
  private static let answer = UInt64(PictureAnswer.maxBytes)
  private static let cpuSeconds: UInt64 = 5

  /// Closes the sandbox. Throws where there is none: no picture is worth going without.
  static func enter() throws(SystemError) {
    var limits = ProcessLimits(memory: memory)
    limits.processorTime = (told: cpuSeconds, killed: cpuSeconds)
    limits.fileSize = answer
    try limits.enforce()
    try filter().load()
  }

  /// What it may call.
  package static func filter() throws(SystemError) -> SeccompFilter {
    let rules = try SeccompFilter()
    for name in ["pread64", "poll", "ppoll", "ppoll_time64"] { rules.allow(name) }
    // Closing is what a file may be waited for by; ending closes it, too.
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
