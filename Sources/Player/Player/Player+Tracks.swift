// What the player's owner knows about tracks: their bookmarks, their storage; and the player's end. Control thread only.

import PlaybackModel

extension Player {
  /// Where a track begins when no position was asked for, in its frames; nil is its beginning.
  package var startPosition: (Track) -> Frames? {
    get { decks.startPosition }
    set { decks.startPosition = newValue }
  }

  /// A track on a deck with the length that its file states, or else with the one at which its decoder has ended, if it has.
  package func measured(_ track: Track) -> Track {
    guard track.length == nil else { return track }
    var measured = track
    for deck in Deck.allCases {
      guard let slot = decks.facts[deck], slot.track.id == track.id else { continue }
      // A track that fades into itself is on both.
      measured.length = slot.decodedLength ?? measured.length
    }
    return measured
  }

  /// How streams are had that are opened from now on.
  package func adopt(_ conditions: StreamConditions) { decks.decoders.adopt(conditions) }

  /// Whether the storage that a track lies on is away at present; by default none is.
  package var isStorageAway: (Track) -> Bool {
    get { decks.decoders.isStorageAway }
    set { decks.decoders.isStorageAway = newValue }
  }

  /// The paths of the tracks whose decoders have waited for their storage for longer than so many nanoseconds, and still do.
  package func tracksThatWaitForStorage(longerThan nanoseconds: UInt64) -> [String] {
    var paths: [String] = []
    for deck in Deck.allCases where decks.decoders.storageWait(of: deck) > nanoseconds {
      if let slot = decks.facts[deck] { paths.append(slot.track.path) }
    }
    return paths
  }

  /// Whether tracks of one album fade into each other, too, instead of being joined.
  package var fadesAlbums: Bool {
    get { succession.fadesAlbums }
    set {
      succession.fadesAlbums = newValue
      settling.runSoon()
    }
  }

  /// Whether the player's owner sends `retry` when removed storage is back. Otherwise a track on such storage is tried
  /// again like any other.
  package var isStorageWatched: Bool {
    get { failures.isStorageWatched }
    set { failures.isStorageWatched = newValue }
  }

  /// Ends all decoders. The audio thread has ended before.
  package func end() {
    failures.stopRetrying()
    settling.end()
    succession.end()
    decoding.end()
    decks.decoders.end()
    decks.announcements.end()
    decks.liveInputs.end()
    observer = nil
    onLimit = nil
  }
}
