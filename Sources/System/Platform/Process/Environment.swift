// Reads the process's environment. Any thread.

import CLinux

/// The process's environment.
package enum Environment {
  /// A variable's value; nil if it is unset or empty.
  package static func value(_ name: String) -> String? {
    guard let pointer = getenv(name), pointer.pointee != 0 else { return nil }
    return String(cString: pointer)
  }

  /// The environment of a sandboxed child: these `NAME=value` entries, the library path, and no Swift
  /// backtraces.
  package static func sandboxed(_ variables: [String]) -> [String] {
    let path = value("LD_LIBRARY_PATH").map { ["LD_LIBRARY_PATH=" + $0] } ?? []
    return variables + ["SWIFT_BACKTRACE=enable=no"] + path
  }

  /// All variables as `NAME=value` entries, for a child that inherits them.
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
