// What can be said about stickers: what clients of MPD write about songs. Pure values; any thread.

/// A command about stickers.
package enum StickerCommand: Hashable, Sendable {
  /// All of a song.
  case list(path: String)
  case set(path: String, name: String, value: String)
  /// One of a song; nil: all.
  case delete(path: String, name: String?)
  /// Those of a name, on songs beneath a folder; from a position on.
  case find(name: String, folder: String, from: Int)

  /// Whether it changes the stored stickers.
  package var changesStickers: Bool {
    switch self {
    case .list, .find: false
    case .set, .delete: true
    }
  }

  /// The words behind `sticker`, in which `name` stands in for whatever is private.
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
