// Restricts the resources of the calling process: memory, processor time, descriptors, file sizes and
// threads. Irreversible; called by the only thread of a sandboxed process.

import CLinux

/// Resource limits that a process sets for itself. Also prevents programs it starts from gaining privileges,
/// other processes from reading its memory, and core dumps.
package struct ProcessLimits: Sendable {
  /// Bytes of address space.
  package var memory: UInt64
  /// Bytes of private writable memory, without file mappings; nil: limited by `memory` only.
  package var data: UInt64?
  /// Seconds of processor time until SIGXCPU, and until SIGKILL; nil: unlimited.
  package var processorTime: (told: UInt64, killed: UInt64)?
  /// The limit for descriptor numbers; nil: unchanged.
  package var descriptors: UInt64?
  /// The most bytes of a file that it writes.
  package var fileSize: UInt64 = 0
  /// Whether it may start threads. Starting processes is prevented by the seccomp filter.
  package var startsThreads = false

  /// Creates limits for memory; files cannot be written and threads cannot be started.
  package init(memory: UInt64) { self.memory = memory }

  /// Applies the limits.
  package func enforce() throws(SystemError) {
    guard clinux_prctl(PR_SET_NO_NEW_PRIVS, 1) == 0, clinux_prctl(PR_SET_DUMPABLE, 0) == 0 else {
      throw SystemError("prctl", on: "the privileges of this process")
    }
    try limit(CLINUX_RLIMIT_AS, "its memory", memory)
    if let data { try limit(CLINUX_RLIMIT_DATA, "its data", data) }
    if let time = processorTime { try limit(CLINUX_RLIMIT_CPU, "its time", time.told, killed: time.killed) }
    if let descriptors { try limit(CLINUX_RLIMIT_NOFILE, "its descriptors", descriptors) }
    try limit(CLINUX_RLIMIT_FSIZE, "its files", fileSize)
    try limit(CLINUX_RLIMIT_CORE, "its core", 0)
    if !startsThreads { try limit(CLINUX_RLIMIT_NPROC, "its threads", 0) }
  }

  /// Sets one limit.
  ///
  /// - Parameters:
  ///   - resource: The resource, as in setrlimit(2).
  ///   - name: The resource's name for error messages.
  ///   - most: The soft limit.
  ///   - killed: The hard limit; by default the soft limit.
  private func limit(
    _ resource: Int32, _ name: String, _ most: UInt64, killed: UInt64? = nil
  ) throws(SystemError) {
    guard clinux_set_limit(resource, most, killed ?? most) == 0 else {
      throw SystemError("setrlimit", on: "a limit of \(name)")
    }
  }
}
