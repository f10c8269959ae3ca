// A list of allowed system calls, by name. What a process may call is its own sandbox's business. One thread, of the process that is
// confined.

import CLinux
import CSeccomp

/// A filter that is being made. Names that this processor's kernel does not have are passed over.
package final class SeccompFilter {
  private let filter: scmp_filter_ctx
  private static let subject = "the list of system calls of this process"

  /// What an argument has to be.
  package struct Condition {
    fileprivate let comparison: scmp_arg_cmp
    /// The argument is that value.
    package init(argument: UInt32, equals value: UInt64) {
      comparison = scmp_arg_cmp(arg: argument, op: SCMP_CMP_EQ, datum_a: value, datum_b: 0)
    }
    /// The argument has all those bits.
    package init(argument: UInt32, has bits: UInt64) {
      comparison = scmp_arg_cmp(arg: argument, op: SCMP_CMP_MASKED_EQ, datum_a: bits, datum_b: bits)
    }
    /// The argument has none of those bits.
    package init(argument: UInt32, lacks bits: UInt64) {
      comparison = scmp_arg_cmp(arg: argument, op: SCMP_CMP_MASKED_EQ, datum_a: bits, datum_b: 0)
    }
  }

  /// A filter that ends the process at each call. Throws without memory.
  package init() throws(SystemError) {
    guard let filter = seccomp_init(SCMP_ACT_KILL_PROCESS) else {
      throw SystemError("seccomp", on: Self.subject, code: ENOMEM)
    }
    self.filter = filter
  }

  deinit { seccomp_release(filter) }

  /// Lets a call through whose arguments meet all conditions.
  package func allow(_ name: String, where conditions: [Condition] = []) {
    add(SCMP_ACT_ALLOW, name, conditions)
  }

  /// Lets a call through on one descriptor.
  package func allow(_ name: String, onDescriptor descriptor: Int32) {
    add(SCMP_ACT_ALLOW, name, [Condition(argument: 0, equals: UInt64(descriptor))])
  }

  /// Answers a call with an errno.
  package func refuse(_ name: String, with error: Int32) { add(0x0005_0000 | UInt32(error), name, []) }

  /// Raises SIGSYS, which a handler may explain.
  package func trap(_ name: String) { add(SCMP_ACT_TRAP, name, []) }

  /// Puts the filter in force, for good. Throws where the system has no such filters.
  package func load() throws(SystemError) {
    let error = seccomp_load(filter)
    guard error == 0 else { throw SystemError("seccomp", on: Self.subject, code: -error) }
  }

  /// Writes the rules in libseccomp's words to a descriptor. 0 or a negative errno.
  package func write(to descriptor: Int32) -> Int32 { seccomp_export_pfc(filter, descriptor) }

  private func add(_ action: UInt32, _ name: String, _ conditions: [Condition]) {
    let number = seccomp_syscall_resolve_name(name)
    guard number >= 0 else { return }
    let comparisons = conditions.map { $0.comparison }
    _ = seccomp_rule_add_array(filter, action, number, UInt32(comparisons.count), comparisons)
  }
}
