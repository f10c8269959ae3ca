// Builds a seccomp filter from a list of allowed system calls. The rules are up to each process's sandbox.
// One thread of the sandboxed process.

import CLinux
import CSeccomp

/// A seccomp filter under construction. System calls that this processor does not have are ignored.
package final class SeccompFilter {
  private let filter: scmp_filter_ctx
  private static let subject = "the list of system calls of this process"

  /// A condition on an argument of a system call.
  package struct Condition {
    fileprivate let comparison: scmp_arg_cmp
    /// The argument equals a value.
    package init(argument: UInt32, equals value: UInt64) {
      comparison = scmp_arg_cmp(arg: argument, op: SCMP_CMP_EQ, datum_a: value, datum_b: 0)
    }
    /// The argument has all of these bits.
    package init(argument: UInt32, has bits: UInt64) {
      comparison = scmp_arg_cmp(arg: argument, op: SCMP_CMP_MASKED_EQ, datum_a: bits, datum_b: bits)
    }
    /// The argument has none of these bits.
    package init(argument: UInt32, lacks bits: UInt64) {
      comparison = scmp_arg_cmp(arg: argument, op: SCMP_CMP_MASKED_EQ, datum_a: bits, datum_b: 0)
    }
  }

  /// Creates a filter that kills the process at each system call.
  ///
  /// - Throws: If there is no memory.
  package init() throws(SystemError) {
    guard let filter = seccomp_init(SCMP_ACT_KILL_PROCESS) else {
      throw SystemError("seccomp", on: Self.subject, code: ENOMEM)
    }
    self.filter = filter
  }

  deinit { seccomp_release(filter) }

  /// Allows a system call if its arguments meet all conditions.
  package func allow(_ name: String, where conditions: [Condition] = []) {
    add(SCMP_ACT_ALLOW, name, conditions)
  }

  /// Allows a system call on one descriptor.
  package func allow(_ name: String, onDescriptor descriptor: Int32) {
    add(SCMP_ACT_ALLOW, name, [Condition(argument: 0, equals: UInt64(descriptor))])
  }

  /// Makes a system call fail with an errno.
  package func refuse(_ name: String, with error: Int32) { add(0x0005_0000 | UInt32(error), name, []) }

  /// Makes a system call raise SIGSYS, which a handler can report.
  package func trap(_ name: String) { add(SCMP_ACT_TRAP, name, []) }

  /// Activates the filter irreversibly.
  ///
  /// - Throws: If the kernel does not support seccomp filters.
  package func load() throws(SystemError) {
    let error = seccomp_load(filter)
    guard error == 0 else { throw SystemError("seccomp", on: Self.subject, code: -error) }
  }

  /// Writes the rules as text to a descriptor.
  ///
  /// - Returns: 0 or a negative errno.
  package func write(to descriptor: Int32) -> Int32 { seccomp_export_pfc(filter, descriptor) }

  private func add(_ action: UInt32, _ name: String, _ conditions: [Condition]) {
    let number = seccomp_syscall_resolve_name(name)
    guard number >= 0 else { return }
    let comparisons = conditions.map { $0.comparison }
    _ = seccomp_rule_add_array(filter, action, number, UInt32(comparisons.count), comparisons)
  }
}
