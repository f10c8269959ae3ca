// Reads problems that packaging/card/card reported about the files on the SD card's boot partition, and about the
// installation from it. Any thread; reads a file in /run (memory).

import Platform

/// Error report of the card script. Lines about swiftlet.conf are left out, because the daemon reports these itself.
package enum CardTrouble {
  /// Path of the report, written by root. /run is a tmpfs, so reading it never blocks on storage.
  package static let path = "/run/swiftlet-card/errors.txt"
  /// Prefixes of the lines that are reported.
  private static let subjects = ["wifi.txt: ", "sound-card.txt: ", "all files: ", "installation: "]
  /// Read limit in bytes.
  private static let maxBytes = 4096
  /// Number of lines listed individually.
  private static let maxLines = 3

  /// The problems in one line; nil: there are none.
  package static func read(_ path: String = path) -> String? {
    guard let bytes = try? TextFile.bytes(path, limit: maxBytes) else { return nil }
    let lines = bytes.split { $0 == 0x0A || $0 == 0x0D }.map {
      String(decoding: $0, as: UTF8.self).printable()
    }
    .filter { line in subjects.contains { line.hasPrefix($0) } }
    guard !lines.isEmpty else { return nil }
    let more = lines.count - maxLines
    return lines.prefix(maxLines).joined(separator: "; ")
      + (more > 0 ? "; and " + String(more) + " more" : "")
  }
}
