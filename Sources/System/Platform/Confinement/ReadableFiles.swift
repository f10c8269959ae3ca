// Which files a process may still open, by Landlock: those below some folders, to read. One way; one thread.

import CLinux

/// A process's files from now on.
package enum ReadableFiles {
  /// What resolver and TLS read: configuration, which DHCP may write anew at any time, certificates, and libraries that plug into them.
  package static let ofResolver = [
    "/etc", "/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager", "/run/connman", "/usr/lib",
    "/lib", "/lib64",
    "/usr/share/ca-certificates", "/usr/local/share/ca-certificates", "/usr/share/zoneinfo", "/dev/null",
    "/dev/urandom",
    "/proc/sys/crypto", "/var/run/nscd",
  ]

  /// Nothing is opened any more but what lies below these folders or is one of these files, and that only to read. What is not there is
  /// passed over. False where the kernel has no Landlock, so that the list of system calls has to do.
  package static func restrict(to paths: [String]) -> Bool {
    let rules = clinux_landlock_begin()
    guard rules >= 0 else { return false }
    defer { _ = close(rules) }
    for path in paths {
      let place = clinux_open(path, CLINUX_O_PATH | O_CLOEXEC)
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
