// The process's environment. Any thread; read only.

import CLinux

/// The process's environment.
package enum Environment {
  /// A variable's value; nil where it is not set or empty.
  package static func value(_ name: String) -> String? {
    guard let pointer = getenv(name), pointer.pointee != 0 else { return nil }
    return String(cString: pointer)
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
