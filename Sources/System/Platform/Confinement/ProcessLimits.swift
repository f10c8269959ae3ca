// What a process may use from now on, whatever it calls: memory, time, descriptors, what it writes, whom it starts. One way; one thread, of the
// process that is confined.

import CLinux

/// Limits of a process that confines itself, for the rest of its life. No program that it might start has more privileges, nobody looks into
/// its memory, and none is left of it on disk.
package struct ProcessLimits {
  /// Bytes of address space.
  package var memory: UInt64
  /// Bytes that it writes to itself, without what is mapped of files; nil: as many as `memory`.
  package var data: UInt64?
  /// Seconds of processor time until it is told to end (SIGXCPU), and until it is killed; nil: as many as it likes.
  package var processorTime: (told: UInt64, killed: UInt64)?
  /// Descriptors are lower numbers than this; nil: as before.
  package var descriptors: UInt64?
  /// Bytes of a file that it writes.
  package var fileSize: UInt64 = 0
  /// Whether it starts threads. No filter lets it start a process.
  package var startsThreads = false

  /// Nothing but a limit of memory: no file is written, and no thread started.
  package init(memory: UInt64) { self.memory = memory }

  /// Puts them in force.
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

  /// - Parameter name: What is limited, for people.
  private func limit(
    _ resource: Int32, _ name: String, _ most: UInt64, killed: UInt64? = nil
  ) throws(SystemError) {
    guard clinux_set_limit(resource, most, killed ?? most) == 0 else {
      throw SystemError("setrlimit", on: "a limit of \(name)")
    }
  }
}
