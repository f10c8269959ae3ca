// What packaging/card/card could not take of the files on the card's boot partition. Any thread; reads a file in memory.

import Platform

/// The lines that the script leaves, but for those of swiftlet.conf, which the daemon finds in its configuration.
package enum CardTrouble {
  /// Written by root. /run is in memory, and always answers.
  package static let path = "/run/swiftlet-card/errors.txt"
  /// Files of the card whose lines count.
  private static let files = ["wifi.txt: ", "sound-card.txt: "]
  /// Bytes that are read.
  private static let maxBytes = 4096
  /// Lines that are named.
  private static let maxLines = 3

  /// The problems, in a line; nil: there are none.
  package static func read(_ path: String = path) -> String? {
    guard let bytes = try? TextFile.bytes(path, limit: maxBytes) else { return nil }
    let lines = bytes.split { $0 == 0x0A || $0 == 0x0D }.map {
      String(decoding: $0, as: UTF8.self).printable()
    }
    .filter { line in files.contains { line.hasPrefix($0) } }
    guard !lines.isEmpty else { return nil }
    let more = lines.count - maxLines
    return lines.prefix(maxLines).joined(separator: "; ")
      + (more > 0 ? "; and " + String(more) + " more" : "")
  }
}
