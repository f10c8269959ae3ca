// Names of system calls, for error messages. Pure; any thread.

import CLinux
import CSeccomp

/// Names of this processor's system calls.
package enum SystemCallName {
  /// The name of a system call, or its number if it has no name.
  package static func of(_ number: UInt32) -> String {
    let native = seccomp_arch_native()
    guard let signed = Int32(exactly: number), let name = seccomp_syscall_resolve_num_arch(native, signed)
    else { return "system call \(number)" }
    defer { free(name) }
    return String(cString: name)
  }
}
