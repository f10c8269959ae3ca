// A seccomp filter made of rules. One thread of the sandboxed process.

import CLinux
import CSeccomp

/// A seccomp filter. It kills the process at a call that no rule names.
final class SeccompFilter {
  private let filter: scmp_filter_ctx
  private static let subject = "the list of system calls of this process"

  /// Creates a filter. Rules for system calls that this processor does not have are ignored.
  ///
  /// - Throws: If there is no memory.
  init(_ rules: SystemCallRules) throws(SystemError) {
    guard let filter = seccomp_init(SCMP_ACT_KILL_PROCESS) else {
      throw SystemError("seccomp", on: Self.subject, code: ENOMEM)
    }
    self.filter = filter
    for rule in rules.list {
      let number = seccomp_syscall_resolve_name(rule.name)
      guard number >= 0 else { continue }
      let comparisons = rule.conditions.map { Self.comparison($0) }
      _ = seccomp_rule_add_array(
        filter, Self.action(rule.action), number, UInt32(comparisons.count), comparisons)
    }
  }

  deinit { seccomp_release(filter) }

  private static func action(_ action: SystemCallRules.Action) -> UInt32 {
    switch action {
    case .allow: SCMP_ACT_ALLOW
    // The macro SCMP_ACT_ERRNO, which is not imported.
    case .refuse(let error): 0x0005_0000 | UInt32(error)
    case .trap: SCMP_ACT_TRAP
    }
  }

  private static func comparison(_ condition: SystemCallRules.Condition) -> scmp_arg_cmp {
    let (argument, value) = (condition.argument, condition.value)
    return switch condition.comparison {
    case .equals: scmp_arg_cmp(arg: argument, op: SCMP_CMP_EQ, datum_a: value, datum_b: 0)
    case .has: scmp_arg_cmp(arg: argument, op: SCMP_CMP_MASKED_EQ, datum_a: value, datum_b: value)
    case .lacks: scmp_arg_cmp(arg: argument, op: SCMP_CMP_MASKED_EQ, datum_a: value, datum_b: 0)
    }
  }

  /// Activates the filter irreversibly.
  ///
  /// - Throws: If the kernel does not support seccomp filters.
  func load() throws(SystemError) {
    let error = seccomp_load(filter)
    guard error == 0 else { throw SystemError("seccomp", on: Self.subject, code: -error) }
  }

  /// Writes the rules as text to a descriptor.
  ///
  /// - Returns: 0 or a negative errno.
  func write(to descriptor: Int32) -> Int32 { seccomp_export_pfc(filter, descriptor) }
}
