// Reads playlists of all kinds: converts their text, and passes it to the parsers. Worker process only, one thread.
// Created before the sandbox closes, because it loads libraries; reads after that.

import Platform

/// The reader of playlists, with the libraries that it needs.
///
/// ```swift
/// let lists = PlaylistReader()
/// // Enter the sandbox.
/// let contents = try lists.contents(of: bytes, isCut: false)
/// ```
package final class PlaylistReader {
  private let text: PlaylistText
  /// The XML parser, or why it cannot be loaded. That failure is thrown only for a playlist that needs it.
  private let xml: Result<XMLLibrary, PlaylistFailure>

  /// Loads the libraries.
  ///
  /// - Parameter convertsEncodings: Whether text that is not Unicode may have any of `LegacyEncoding`; otherwise it
  ///   counts as Latin-1, for which no converter is loaded.
  package init(convertsEncodings: Bool = true) {
    text = PlaylistText(convertsEncodings ? LegacyEncoding.allCases : [])
    do throws(PlaylistFailure) {
      xml = .success(try XMLLibrary())
    } catch {
      xml = .failure(error)
    }
  }

  /// The entries of a playlist or cue sheet.
  ///
  /// - Parameters:
  ///   - bytes: The content, in any supported encoding.
  ///   - isCut: Whether the file continues after `bytes`.
  /// - Returns: At most `PlaylistContents.maxCount` entries. Invalid lines are skipped; of a malformed XSPF playlist,
  ///   the tracks before the error are returned.
  /// - Throws: `malformed` if the content is not text, or if XSPF has an error before its first track;
  ///   `missingLibrary` if libexpat is needed and not installed.
  package func contents(of bytes: [UInt8], isCut: Bool) throws(PlaylistFailure) -> PlaylistContents {
    let text = text.utf8(isCut ? Self.withoutLastCharacter(bytes) : bytes)
    guard PlaylistParser.isText(text) else {
      throw PlaylistFailure(.malformed, "This is no playlist: it is not text.")
    }
    return try PlaylistParser.contents(text, isCut: isCut, xml: xml)
  }

  /// Removes a multi-byte character at the end, which may be incomplete.
  private static func withoutLastCharacter(_ bytes: [UInt8]) -> [UInt8] {
    guard let lead = bytes.suffix(4).lastIndex(where: { $0 & 0xC0 != 0x80 }), bytes[lead] >= 0xC0 else {
      return bytes
    }
    return Array(bytes[..<lead])
  }
}
