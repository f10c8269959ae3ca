// Reads the result file of the update script, packaging/update. Any thread; reads small files in /run (memory).

import Platform

/// Files that the update script writes to /run.
package enum UpdateResult {
  /// Path of the result line, written by root. /run is a tmpfs, so reading it never blocks on storage.
  package static let path = "/run/swiftlet-update/result"
  /// File that exists while an automatic update restarts the daemon.
  package static let quiet = "/run/swiftlet-update/quiet"
  /// Swiftlet's apt source list, which the update script requires.
  package static let packageSource = "/etc/apt/sources.list.d/swiftlet.sources"
  /// Ending of a result line that reports success.
  package static let success = "is installed and works"
  /// Read limit in bytes; the script writes less.
  private static let maxBytes = 400

  /// Whether an automatic update is restarting the daemon now.
  package static func isQuiet(_ path: String = quiet) -> Bool { (try? TextFile.bytes(path, limit: 1)) != nil }

  /// Result line of the last update; nil: there was none.
  package static func read(_ path: String = path) -> String? {
    guard let bytes = try? TextFile.bytes(path, limit: maxBytes), !bytes.isEmpty else { return nil }
    let line = String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self).printable()
    return line.utf8.isEmpty ? nil : line
  }
}
