// The saved form of the queue, stored next to the checkpoints. A pure value; any thread.

import PlaybackModel

/// The contents of the queue, and tracks in use by the player that are no longer in it.
package struct QueueRecord: Hashable, Sendable {
  /// The most tracks outside the queue; a player state has fewer.
  package static let detachedLimit = 4

  /// The queue.
  package var snapshot: PlayQueue.Snapshot
  /// Tracks of the player's state that were removed from the queue while playing.
  package var detached: [Track]
  /// Whether this is the whole queue. A queue too large for its area is reduced to the current entry and
  /// those that follow it.
  package internal(set) var isComplete = true

  /// Creates a record from its parts.
  package init(_ snapshot: PlayQueue.Snapshot, detached: [Track] = []) {
    self.snapshot = snapshot
    self.detached = detached
  }

  /// Creates a record of a queue while the player is in `state`. A new record is needed when
  /// `PlayQueue.revision` has changed, or when the last record does not hold the state's tracks (see
  /// `holds`).
  package init(_ queue: PlayQueue, playing state: PlayerState) {
    snapshot = queue.snapshot
    // The stop point is saved in checkpoints only, so that it causes no rewrite of the queue.
    snapshot.cursor.stopPoint = nil
    detached = []
    for track in [state.currentTrack, state.nextTrack] {
      guard let track, queue.track(track.id) == nil else { continue }
      if !detached.contains(where: { $0.id == track.id }) { detached.append(track) }
    }
  }

  /// The track with an id, in the queue or detached.
  package func track(_ id: UInt64) -> Track? {
    if let entry = snapshot.entries.first(where: { $0.track.id == id }) { return entry.track }
    return detached.first { $0.id == id }
  }

  /// Whether the record contains all tracks of a state, so that it can restore that state.
  package func holds(_ state: PlayerState) -> Bool {
    for track in [state.currentTrack, state.nextTrack] {
      if let track, self.track(track.id) == nil { return false }
    }
    return true
  }

  /// Creates the queue at a checkpoint's position. If the record is older than the checkpoint, the
  /// checkpoint's entry is searched for in it.
  package func queue(at cursor: PlayQueue.Cursor) -> PlayQueue {
    var snapshot = snapshot
    snapshot.move(to: cursor)
    return PlayQueue(snapshot) ?? PlayQueue(seed: snapshot.generator)
  }
}
