// The parsed `sticker` commands: data that MPD clients store for songs. Pure values; any thread.

/// A command about stickers.
package enum StickerCommand: Hashable, Sendable {
  /// Lists all stickers of a song.
  case list(path: String)
  case set(path: String, name: String, value: String)
  /// Removes a song's sticker of a name; nil: all of them.
  case delete(path: String, name: String?)
  /// Lists stickers of a name on songs below a folder, from a position (from 1).
  case find(name: String, folder: String, from: Int)

  /// Whether it changes the stored stickers.
  package var changesStickers: Bool {
    switch self {
    case .list, .find: false
    case .set, .delete: true
    }
  }

  /// The arguments, with private texts replaced.
  ///
  /// - Parameter name: Returns the replacement for a private text.
  func anonymousWords(_ name: (String) -> String) -> String {
    switch self {
    case .list(let path): " list " + name(path)
    case .set(let path, let sticker, let value):
      " set " + name(path) + " " + name(sticker) + " " + name(value)
    case .delete(let path, let sticker): " delete " + name(path) + (sticker.map { " " + name($0) } ?? "")
    case .find(let sticker, let folder, let from):
      " find " + name(sticker) + " " + name(folder) + " " + String(from)
    }
  }
}
