// The process's environment. Any thread; read only.

import CLinux

/// The process's environment.
package enum Environment {
  /// A variable's value; nil where it is not set or empty.
  package static func value(_ name: String) -> String? {
    guard let pointer = getenv(name), pointer.pointee != 0 else { return nil }
    return String(cString: pointer)
  }

  /// These variables, `NAME=value` each, for a child in a sandbox: it inherits nothing but where libraries lie, and prints no backtrace.
  package static func sandboxed(_ variables: [String]) -> [String] {
    let path = value("LD_LIBRARY_PATH").map { ["LD_LIBRARY_PATH=" + $0] } ?? []
    return variables + ["SWIFT_BACKTRACE=enable=no"] + path
  }

  /// All variables, `NAME=value` each, for a child that inherits them.
  package static var all: [String] {
    var entries: [String] = []
    guard var next = clinux_environment() else { return [] }
    while let entry = next.pointee {
      entries.append(String(cString: entry))
      next += 1
    }
    return entries
  }
}
