// A stream that is no sound but a list of a station's addresses. Runs in the sandboxed worker only, one thread.

import Platform
import Streaming

/// Reads the lists that stations hand out.
enum StationList {
  /// Bytes of a list.
  static let maximumBytes = 64 << 10
  /// Entries that are handed on.
  static let maximumEntries = 32
  private static let beginning = 4096

  /// The entries of a stream that is a list; nil for one that is none. Reads all of a list, and the first bytes of anything else.
  ///
  /// - Parameter path: The address without what follows its path, for the name's ending.
  static func entries(
    of reader: MediaReader, _ spool: SpoolReader, at path: String
  ) throws(WorkerFailure) -> [PlaylistEntry]? {
    guard let first = reader.beginning(beginning) else {
      throw WorkerFailure(.unreadable, "The stream cannot be read.")
    }
    guard !first.isEmpty, PlaylistParser.isText(first) else { return nil }
    guard spool.isList || isNamedList(path) || beginsList(first[...]) else { return nil }
    guard let bytes = reader.beginning(maximumBytes + 1) else {
      throw WorkerFailure(.unreadable, "The stream cannot be read.")
    }
    guard bytes.count <= maximumBytes else {
      throw WorkerFailure(.corrupt, "The station's list does not end within \(maximumBytes >> 10) KiB.")
    }
    if isHLS(bytes) {
      throw WorkerFailure(
        .unsupportedFormat,
        "This is an HLS playlist, but its server calls it something else, and its address does not end in .m3u8."
      )
    }
    let entries = PlaylistParser.entries(bytes)
    guard !entries.isEmpty else {
      throw WorkerFailure(.corrupt, "The station's list names nothing that could be played.")
    }
    return Array(entries.prefix(maximumEntries))
  }

  private static func isNamedList(_ path: String) -> Bool {
    let bytes = path.utf8.suffix(5).map { $0.asciiLowercased }
    return [".m3u", ".m3u8", ".pls", ".xspf", ".asx", ".wax"].contains {
      bytes.suffix($0.utf8.count).elementsEqual($0.utf8)
    }
  }

  /// Whether a text begins as lists do. Nothing that sounds begins so.
  static func beginsList(_ text: ArraySlice<UInt8>) -> Bool {
    var text = text
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
    text = text.drop { $0 <= 0x20 }
    let words: [StaticString] = ["#extm3u", "[playlist]", "[reference]", "http://", "https://"]
    return XSPF.isOne(text) || ASX.isOne(text)
      || words.contains { PlaylistParser.isHeader(text.prefix($0.utf8CodeUnitCount), $0) }
  }

  /// Segments of one sound, which are no alternatives (RFC 8216, section 4.3).
  private static func isHLS(_ bytes: [UInt8]) -> Bool {
    bytes.split { $0 == 0x0A || $0 == 0x0D }.contains { PlaylistParser.isHeader($0.prefix(7), "#ext-x-") }
  }
}
