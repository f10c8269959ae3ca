// Starts programs with posix_spawn(3) if the kernel does not support the method in CLinux/spawn.c: the child
// closes copies of this process's descriptors, which blocks if their storage hangs. Any thread.

import CLinux

/// A fallback based on posix_spawn(3).
enum SpawnByCopy {
  /// Starts a program with these descriptors, numbered from 0 in their order.
  ///
  /// - Returns: 0 or an errno.
  static func start(
    _ executable: String, _ descriptors: [Int32], _ arguments: inout [UnsafeMutablePointer<CChar>?],
    _ environment: inout [UnsafeMutablePointer<CChar>?], _ pid: inout pid_t
  ) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, descriptor) in descriptors.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
    }
    clinux_close_in_child_from(&actions, Int32(descriptors.count))

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    let error = posix_spawn(&pid, executable, &actions, &attributes, &arguments, &environment)
    if error == 0 { raiseOutOfMemoryScore(of: pid) }
    return error
  }

  /// Raises the child's out-of-memory score from outside, as spawn.c does in the child, so that the kernel
  /// kills the child before this process.
  private static func raiseOutOfMemoryScore(of child: pid_t) {
    do throws(SystemError) {
      try FileDescriptor.open("/proc/\(child)/oom_score_adj", O_WRONLY).writeAll(
        Array("\(CLINUX_OUT_OF_MEMORY_SCORE)".utf8))
    } catch {}
  }
}
