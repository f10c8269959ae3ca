// Per-track callbacks and settings of the player (bookmarks, storage, streams), and its shutdown. Control thread
// only.

import PlaybackModel

extension Player {
  /// Returns the start position of a track opened without one, in its frames; nil: its beginning.
  package var startPosition: (Track) -> Frames? {
    get { decks.startPosition }
    set { decks.startPosition = newValue }
  }

  /// A track completed with its length: as stated by the file, or else as counted by a decoder that has reached the
  /// end.
  package func measured(_ track: Track) -> Track {
    guard track.length == nil else { return track }
    var measured = track
    for deck in Deck.allCases {
      guard let slot = decks.facts[deck], slot.track.id == track.id else { continue }
      // A track that fades into itself is on both decks.
      measured.length = slot.decodedLength ?? measured.length
    }
    return measured
  }

  /// Adopts the settings of streams opened from now on.
  package func adopt(_ conditions: StreamConditions) { decks.decoders.adopt(conditions) }

  /// Returns whether the storage of a track is unmounted; by default false.
  package var isStorageAway: (Track) -> Bool {
    get { decks.decoders.isStorageAway }
    set { decks.decoders.isStorageAway = newValue }
  }

  /// Paths of the tracks whose decoders have been waiting for storage for longer than the given nanoseconds.
  package func tracksThatWaitForStorage(longerThan nanoseconds: UInt64) -> [String] {
    var paths: [String] = []
    for deck in Deck.allCases where decks.decoders.storageWait(of: deck) > nanoseconds {
      if let slot = decks.facts[deck] { paths.append(slot.track.path) }
    }
    return paths
  }

  /// Whether consecutive tracks of an album are crossfaded instead of joined gaplessly.
  package var fadesAlbums: Bool {
    get { succession.fadesAlbums }
    set {
      succession.fadesAlbums = newValue
      settling.runSoon()
    }
  }

  /// Whether the player's owner sends `retry` when removed storage returns. If not, a track on such storage is
  /// retried by the timer.
  package var isStorageWatched: Bool {
    get { failures.isStorageWatched }
    set { failures.isStorageWatched = newValue }
  }

  /// Whether a stream that its server refuses, by status 404 or otherwise, is retried as after a network failure while
  /// it is the current track and the queue has nothing else to play. By default false: the failure is final.
  package var retriesRefusals: Bool {
    get { decks.decoders.retriesRefusals }
    set { decks.decoders.retriesRefusals = newValue }
  }

  /// Ends all decoders, timers and callbacks. The audio thread must have ended before.
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
