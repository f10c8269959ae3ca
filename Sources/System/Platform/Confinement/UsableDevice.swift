// Which one file a process may still open, by Landlock: a device. One way; one thread.

import CLinux

/// A process's one device from now on.
package enum UsableDevice {
  /// Nothing is opened any more but this device. False where the kernel has no Landlock, so that the list of system calls has to do.
  package static func restrict(to path: String) -> Bool {
    let rules = clinux_landlock_begin()
    guard rules >= 0 else { return false }
    defer { _ = close(rules) }
    let place = clinux_open(path, CLINUX_O_PATH | O_CLOEXEC)
    guard place >= 0 else { return false }
    defer { _ = close(place) }
    return clinux_landlock_allow_device(rules, place) == 0 && clinux_landlock_enforce(rules) == 0
  }
}
