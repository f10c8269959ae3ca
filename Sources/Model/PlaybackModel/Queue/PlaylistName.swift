// Names of saved playlists. A pure value; any thread.

/// Name of a saved playlist: 1 to 100 bytes of UTF-8, without slashes and control characters.
package struct PlaylistName: Hashable, Sendable {
  /// Maximum length in bytes.
  package static let maxLength = 100
  /// Prefix for a playlist in place of a path, as in `play playlist:Evening`.
  package static let scheme = "playlist:"

  /// The name for display and storage.
  package let text: String

  /// A name; nil if `text` is not a valid one.
  package init?(_ text: String) {
    guard !text.utf8.isEmpty, text.utf8.count <= Self.maxLength,
      text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != 0x2F })
    else { return nil }
    self.text = text
  }

  /// The name after `playlist:`; nil for any other path.
  package init?(path: String) {
    guard path.utf8.starts(with: Self.scheme.utf8) else { return nil }
    self.init(String(decoding: path.utf8.dropFirst(Self.scheme.utf8.count), as: UTF8.self))
  }

  /// The name with its prefix, for use as a path.
  package var path: String { Self.scheme + text }
}
