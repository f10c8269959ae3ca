// What packaging/update leaves about its last attempt. Any thread; reads a file in memory.

import Platform

/// The line that the update script leaves.
package enum UpdateResult {
  /// Written by root. /run is in memory, and always answers.
  package static let path = "/run/swiftlet-update/result"
  /// There while an update restarts the daemon by itself.
  package static let quiet = "/run/swiftlet-update/quiet"
  /// What apt reads, and the script looks for.
  package static let packageSource = "/etc/apt/sources.list.d/swiftlet.sources"
  /// The end of a line about a version that was installed.
  package static let success = "is installed and works"
  /// Bytes that are read: the script writes fewer.
  private static let maxBytes = 400

  /// Whether an update restarts the daemon by itself.
  package static func isQuiet(_ path: String = quiet) -> Bool { (try? TextFile.bytes(path, limit: 1)) != nil }

  /// The last result; nil: there is none.
  package static func read(_ path: String = path) -> String? {
    guard let bytes = try? TextFile.bytes(path, limit: maxBytes), !bytes.isEmpty else { return nil }
    let line = String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self).printable()
    return line.utf8.isEmpty ? nil : line
  }
}
