// Entries for a coverage-guided fuzzer. Not used by a box.

/// Feeds arbitrary bytes to what reads playlists and to what reads a worker's messages.
public enum DecodingFuzzing {
  /// Reads `bytes` as a playlist. Traps on a fault of the reader only.
  public static func playlist(_ bytes: [UInt8]) {
    let entries = PlaylistParser.entries(Array(bytes.prefix(PlaylistParser.maximumBytes)))
    precondition(entries.count <= PlaylistParser.maximumEntries)
    for entry in entries {
      precondition(!entry.utf8.isEmpty && entry.utf8.count <= PlaylistParser.maximumEntry)
      precondition(WorkerMessage(WorkerMessage.entry(entry).bytes[...]) != nil, "what is found can be sent")
    }
  }

  /// Reads `bytes` as a message from a worker, and as one to it. Traps on a fault of the readers only.
  public static func messages(_ bytes: [UInt8]) {
    if let message = WorkerMessage(bytes[...]) {
      precondition(WorkerMessage(message.bytes[...]) != nil, "what is read can be written and read again")
    }
    if let message = EngineMessage(bytes[...]) { precondition(message.bytes == bytes) }
  }
}
