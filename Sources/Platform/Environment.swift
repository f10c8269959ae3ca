// The process's environment. Any thread; read only.

import CLinux

/// The process's environment.
public enum Environment {
  /// A variable's value; nil where it is not set or empty.
  public static func value(_ name: String) -> String? {
    guard let pointer = getenv(name), pointer.pointee != 0 else { return nil }
    return String(cString: pointer)
  }
}
