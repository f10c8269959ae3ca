// Restricts a process to opening a single device, by Landlock. Irreversible; one thread.

import CLinux

/// The device that a process may still open.
package enum UsableDevice {
  /// Allows opening only this device, for reading and writing.
  ///
  /// - Returns: False if the kernel has no Landlock, so that only the seccomp filter protects.
  package static func restrict(to path: String) -> Bool {
    let rules = clinux_landlock_begin()
    guard rules >= 0 else { return false }
    defer { _ = close(rules) }
    let place = path.withPath { clinux_open($0, CLINUX_O_PATH | O_CLOEXEC) }
    guard place >= 0 else { return false }
    defer { _ = close(place) }
    return clinux_landlock_allow_device(rules, place) == 0 && clinux_landlock_enforce(rules) == 0
  }
}
