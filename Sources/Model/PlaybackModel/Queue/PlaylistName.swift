// What a saved playlist is called. Pure value; any thread.

/// The name of a playlist that the box keeps: 1 to 100 bytes of UTF-8, without slashes and control characters.
package struct PlaylistName: Hashable, Sendable {
  /// The most bytes.
  package static let maxLength = 100
  /// What names such a playlist where a path is wanted, as in `play playlist:Evening`.
  package static let scheme = "playlist:"

  /// As it is shown and kept.
  package let text: String

  /// Nil unless `text` can be a playlist's name.
  package init?(_ text: String) {
    guard !text.utf8.isEmpty, text.utf8.count <= Self.maxLength,
      text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != 0x2F })
    else { return nil }
    self.text = text
  }

  /// The name behind `playlist:`; nil for anything else.
  package init?(path: String) {
    guard path.utf8.starts(with: Self.scheme.utf8) else { return nil }
    self.init(String(decoding: path.utf8.dropFirst(Self.scheme.utf8.count), as: UTF8.self))
  }

  /// What names it where a path is wanted.
  package var path: String { Self.scheme + text }
}
