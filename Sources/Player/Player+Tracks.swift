// What the player's owner knows about tracks: their bookmarks, their storage. Control thread only.

import PlaybackModel

extension Player {
  /// Where a track begins when no position was asked for, in its frames; nil is its beginning.
  package var startPosition: (Track) -> Frames? {
    get { decks.startPosition }
    set { decks.startPosition = newValue }
  }

  /// Whether the storage that a track lies on is away at present; by default none is.
  package var isStorageAway: (Track) -> Bool {
    get { decks.decoders.isStorageAway }
    set { decks.decoders.isStorageAway = newValue }
  }

  /// Whether the player's owner sends `retry` when removed storage is back. Otherwise a track on such storage is tried
  /// again like any other.
  package var isStorageWatched: Bool {
    get { failures.isStorageWatched }
    set { failures.isStorageWatched = newValue }
  }
}
