// Entry point for the coverage-guided fuzzer: playlists and cue sheets. Not used by the player.

import Platform

/// Passes arbitrary bytes to the parsers of playlists.
package enum PlaylistsFuzzing {
  /// Parses `bytes` as a playlist. Traps if a result breaks a documented bound.
  package static func playlist(_ bytes: [UInt8]) {
    let bytes = Array(bytes.prefix(PlaylistParser.maximumBytes))
    for isCut in [false, true] {
      guard let contents = try? PlaylistReader().contents(of: bytes, isCut: isCut) else { continue }
      precondition(contents.entries.count <= PlaylistContents.maxCount)
      for entry in contents.entries {
        precondition(!entry.path.utf8.isEmpty && entry.path.utf8.count <= PlaylistParser.maximumEntry)
        var packet = PacketWriter()
        packet.put(entry)
        // A message has 4 bytes before the entry.
        precondition(packet.bytes.count + 4 <= MessageSocket.limit, "it can be sent")
        var reader = PacketReader(packet.bytes[...])
        precondition(reader.playlistEntry() != nil, "it can be read again")
      }
    }
  }
}
