// The sandbox of a process as data: resource limits, files and system calls. Entered by the only thread of the process;
// irreversible.

import CLinux

/// What a sandboxed process may do.
///
/// ```swift
/// let profile = SandboxProfile(
///   "picture process", limits: ProcessLimits(memory: 256 << 20),
///   rules: SystemCallRules(.allow(["pread64", "exit_group"]), .mappingData(isAnonymous: true)))
/// try profile.enter()
/// ```
package struct SandboxProfile: Sendable {
  /// The files that the process may open. Kernels without Landlock apply only the rules for system calls.
  package enum Files: Sendable {
    /// Those that the rules for system calls permit.
    case unlimited
    /// For reading: these files, and files below these folders. Paths that do not exist are skipped.
    case reading([String])
    /// One device, for reading and writing.
    case device(String)
  }

  /// Descriptors that stay open.
  package struct Descriptors: Sendable {
    /// The highest one; those above it are closed.
    let last: Int32
    /// The descriptor that replaces the standard error, so that a library's output does not reach a terminal;
    /// nil: it stays.
    let standardError: Int32?

    package init(upTo last: Int32, standardErrorFrom standardError: Int32? = nil) {
      self.last = last
      self.standardError = standardError
    }
  }

  /// Name of the process in docs/reference/system-calls.txt.
  package let name: String
  /// Nil: an earlier or later profile of the process sets them.
  let limits: ProcessLimits?
  let descriptors: Descriptors?
  let files: Files
  let rules: SystemCallRules

  /// Creates a profile.
  ///
  /// - Parameters:
  ///   - name: Name of the process in docs/reference/system-calls.txt.
  ///   - limits: Memory, time, descriptors, file sizes, threads; nil: only privileges cannot be gained.
  ///   - descriptors: Which descriptors stay open; nil: all.
  ///   - files: Which files can be opened.
  ///   - rules: Which system calls can be made.
  package init(
    _ name: String, limits: ProcessLimits?, descriptors: Descriptors? = nil, files: Files = .unlimited,
    rules: SystemCallRules
  ) {
    self.name = name
    self.limits = limits
    self.descriptors = descriptors
    self.files = files
    self.rules = rules
  }

  /// Enters the sandbox.
  ///
  /// - Throws: If the system does not support it; the process must not continue then.
  package func enter() throws(SystemError) {
    try limit()
    try confine()
  }

  /// The first half of `enter`: descriptors, resource limits and files.
  package func limit() throws(SystemError) {
    if let descriptors {
      let isReplaced = descriptors.standardError.map { dup2($0, 2) == 2 } ?? true
      guard isReplaced, clinux_close_from(UInt32(descriptors.last) + 1) == 0 else {
        throw SystemError("dup2 or close_range")
      }
    }
    if let limits {
      try limits.enforce()
    } else {
      guard clinux_prctl(PR_SET_NO_NEW_PRIVS, 1) == 0 else { throw SystemError("prctl") }
    }
    switch files {
    case .unlimited: break
    case .reading(let paths): _ = ReadableFiles.restrict(to: paths)
    case .device(let path): _ = UsableDevice.restrict(to: path)
    }
  }

  /// The second half of `enter`: system calls.
  package func confine() throws(SystemError) { try SeccompFilter(rules).load() }
}
