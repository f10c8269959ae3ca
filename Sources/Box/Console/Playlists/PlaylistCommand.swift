// What can be said about saved playlists. Pure values; any thread.

import PlaybackModel

/// A command about playlists that the box keeps.
package enum PlaylistCommand: Hashable, Sendable {
  /// What becomes of a playlist that is there already.
  package enum Saving: Hashable, Sendable {
    /// Nothing: it is refused.
    case anew
    case appending, replacing
  }

  case list
  /// The tracks of a saved playlist, or of any file or folder.
  case show(name: String, from: QueuePosition?, count: Int?)
  /// Keeps what is in the queue.
  case save(PlaylistName, Saving)
  /// Adds what a path stands for; nil: at the end. A playlist that is not there is made.
  case add(PlaylistName, path: String, at: QueuePosition?)
  case remove(PlaylistName, QueuePosition, through: QueuePosition?)
  case move(PlaylistName, from: QueuePosition, to: QueuePosition)
  case clear(PlaylistName)
  case rename(PlaylistName, to: PlaylistName)
  case delete(PlaylistName)

  /// Whether it changes nothing.
  package var isQuestion: Bool {
    switch self {
    case .list, .show: true
    case .save, .add, .remove, .move, .clear, .rename, .delete: false
    }
  }
}

extension PlaylistCommand {
  /// The words behind `playlist`, in which `name` stands in for whatever is private.
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
