// Sandbox of a picture process, entered before the first byte of media is read. After that, the process can only read
// its open files and write its answer. Irreversible; one thread.

import CLinux
import Platform

/// The sandbox of a picture process.
package enum PictureSandbox {
  private static let cpuSeconds: UInt64 = 5

  /// What the process may do.
  package static let profile: SandboxProfile = {
    // The program, and several copies of a picture.
    var limits = ProcessLimits(memory: 256 << 20)
    limits.processorTime = (told: cpuSeconds, killed: cpuSeconds)
    // The output may be a file.
    limits.fileSize = UInt64(PictureAnswer.maxBytes)
    return SandboxProfile(
      "picture process", limits: limits,
      rules: SystemCallRules(
        .allow(["pread64", "poll", "ppoll", "ppoll_time64"]),
        // Only the output may be closed: closing a media file may block on storage. The process exit closes it.
        .allow(["write", "writev", "close"], onDescriptors: [1]),
        .mappingData(isAnonymous: true),
        .allow([
          "brk", "munmap", "mremap", "madvise", "futex", "futex_time64", "restart_syscall", "clock_gettime",
          "clock_gettime64", "getrandom", "exit", "exit_group", "rt_sigreturn", "sigreturn",
        ])))
  }()
}
