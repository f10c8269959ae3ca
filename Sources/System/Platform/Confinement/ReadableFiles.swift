// Restricts a process to reading files below certain folders, by Landlock. Irreversible; one thread.

import CLinux

/// The files that a process may still open.
package enum ReadableFiles {
  /// Files that the resolver and TLS read: configuration (which DHCP may change at any time), certificates,
  /// and plug-in libraries.
  package static let ofResolver = [
    "/etc", "/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager", "/run/connman", "/usr/lib",
    "/lib", "/lib64",
    "/usr/share/ca-certificates", "/usr/local/share/ca-certificates", "/usr/share/zoneinfo", "/dev/null",
    "/dev/urandom",
    "/proc/sys/crypto", "/var/run/nscd",
  ]

  /// Allows opening only these files and files below these folders, for reading only. Missing paths are
  /// skipped.
  ///
  /// - Returns: False if the kernel has no Landlock, so that only the seccomp filter protects.
  package static func restrict(to paths: [String]) -> Bool {
    let rules = clinux_landlock_begin()
    guard rules >= 0 else { return false }
    defer { _ = close(rules) }
    for path in paths {
      let place = path.withPath { clinux_open($0, CLINUX_O_PATH | O_CLOEXEC) }
      guard place >= 0 else { continue }
      defer { _ = close(place) }
      var status = stat()
      guard fstat(place, &status) == 0,
        clinux_landlock_allow_reading(rules, place, clinux_is_directory(status.st_mode)) == 0
      else { return false }
    }
    return clinux_landlock_enforce(rules) == 0
  }
}
