// The parsed commands about saved playlists. Pure values; any thread.

import PlaybackModel

/// A command about saved playlists.
package enum PlaylistCommand: Hashable, Sendable {
  /// The action of `playlist save` if a playlist of that name exists.
  package enum Saving: Hashable, Sendable {
    /// Refuse.
    case anew
    case appending, replacing
  }

  case list
  /// Lists the tracks of a saved playlist, or of any file or folder.
  case show(name: String, from: QueuePosition?, count: Int?)
  /// Saves the queue.
  case save(PlaylistName, Saving)
  /// Adds a path's tracks at a position; nil: at the end. Creates the playlist if necessary.
  case add(PlaylistName, path: String, at: QueuePosition?)
  case remove(PlaylistName, QueuePosition, through: QueuePosition?)
  case move(PlaylistName, from: QueuePosition, to: QueuePosition)
  case clear(PlaylistName)
  case rename(PlaylistName, to: PlaylistName)
  case delete(PlaylistName)

  /// Whether the command only reads.
  package var isQuestion: Bool {
    switch self {
    case .list, .show: true
    case .save, .add, .remove, .move, .clear, .rename, .delete: false
    }
  }
}

extension PlaylistCommand {
  /// The arguments, with private texts replaced.
  ///
  /// - Parameter name: Returns the replacement for a private text.
  func anonymousWords(_ name: (String) -> String) -> String {
    func number(_ position: QueuePosition?) -> String { position.map { " " + String($0.number) } ?? "" }
    return switch self {
    case .list: ""
    case .show(let playlist, let from, let count):
      " show " + name(playlist) + number(from) + (count.map { " " + String($0) } ?? "")
    case .save(let playlist, .anew): " save " + name(playlist.text)
    case .save(let playlist, .appending): " save " + name(playlist.text) + " append"
    case .save(let playlist, .replacing): " save " + name(playlist.text) + " replace"
    case .add(let playlist, let path, let place):
      " add " + name(playlist.text) + " " + name(path) + number(place)
    case .remove(let playlist, let first, let last):
      " remove " + name(playlist.text) + number(first) + number(last)
    case .move(let playlist, let from, let to): " move " + name(playlist.text) + number(from) + number(to)
    case .clear(let playlist): " clear " + name(playlist.text)
    case .rename(let playlist, let other): " rename " + name(playlist.text) + " " + name(other.text)
    case .delete(let playlist): " delete " + name(playlist.text)
    }
  }
}
