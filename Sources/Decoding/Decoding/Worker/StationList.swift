// Detects streams that are playlists with a station's addresses. Runs in the sandboxed worker only, one
// thread.

import Platform
import Playlists
import Streaming

/// Reads the playlists of stations.
enum StationList {
  /// Maximum size of a playlist in bytes.
  static let maximumBytes = 64 << 10
  /// Maximum number of entries returned.
  static let maximumEntries = 32
  private static let beginning = 4096

  /// Reads a stream if it is a playlist. Of other streams only the first bytes are read.
  ///
  /// - Parameters:
  ///   - reader: The stream.
  ///   - spool: The stream's properties.
  ///   - path: The URL without query and fragment, for its extension.
  ///   - lists: The reader of playlists.
  /// - Returns: The entries; nil if the stream is not a playlist.
  /// - Throws: `corrupt` or `unsupportedFormat` for a playlist without usable entries; `internalError` for XSPF without
  ///   libexpat.
  static func entries(
    of reader: MediaReader, _ spool: SpoolReader, at path: String, by lists: PlaylistReader
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
    let entries: [PlaylistEntry]
    do throws(PlaylistFailure) {
      entries = try lists.contents(of: bytes, isCut: false).entries
    } catch {
      throw WorkerFailure(error)
    }
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

  /// Whether a text begins like a playlist. No audio format has such a beginning.
  static func beginsList(_ text: ArraySlice<UInt8>) -> Bool {
    var text = text
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
    text = text.drop { $0 <= 0x20 }
    let words: [StaticString] = ["#extm3u", "[playlist]", "[reference]", "http://", "https://"]
    return PlaylistParser.isMarkup(text)
      || words.contains { PlaylistParser.isHeader(text.prefix($0.utf8CodeUnitCount), $0) }
  }

  /// Whether the text is an HLS playlist (RFC 8216, section 4.3), whose segments are not alternatives.
  private static func isHLS(_ bytes: [UInt8]) -> Bool {
    bytes.split { $0 == 0x0A || $0 == 0x0D }.contains { PlaylistParser.isHeader($0.prefix(7), "#ext-x-") }
  }
}
