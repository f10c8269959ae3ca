// The queue as it is written beside the checkpoints. A pure value; any thread.

import PlaybackModel

/// The queue's content, and tracks that are heard although the queue no longer holds them.
package struct QueueRecord: Hashable, Sendable {
  /// How many tracks there can be outside of the queue: those of one state.
  package static let detachedLimit = 4

  /// The queue.
  package var snapshot: PlayQueue.Snapshot
  /// Tracks of the player's state that were removed from the queue and play on.
  package var detached: [Track]
  /// Whether it is the whole queue. When one is too large to be written, what is played now and next is
  /// kept, as much as fits.
  package internal(set) var isComplete = true

  /// A record of parts.
  package init(_ snapshot: PlayQueue.Snapshot, detached: [Track] = []) {
    self.snapshot = snapshot
    self.detached = detached
  }

  /// The record of a queue while the player is in `state`. Take a new one when `PlayQueue.revision` has
  /// changed, or when the state's tracks are no longer among those of the last one (`holds`).
  package init(_ queue: PlayQueue, playing state: PlayerState) {
    snapshot = queue.snapshot
    // Only checkpoints know of it: no queue is written anew for it.
    snapshot.cursor.stopPoint = nil
    detached = []
    for track in [state.currentTrack, state.nextTrack] {
      guard let track, queue.track(track.id) == nil else { continue }
      if !detached.contains(where: { $0.id == track.id }) { detached.append(track) }
    }
  }

  /// The track with an id, in the queue or outside of it.
  package func track(_ id: UInt64) -> Track? {
    if let entry = snapshot.entries.first(where: { $0.track.id == id }) { return entry.track }
    return detached.first { $0.id == id }
  }

  /// Whether a state's tracks are all in it, so that the state can be restored with it.
  package func holds(_ state: PlayerState) -> Bool {
    for track in [state.currentTrack, state.nextTrack] {
      if let track, self.track(track.id) == nil { return false }
    }
    return true
  }

  /// The queue to go on with: that of the record, where the checkpoint says. A record that is older than
  /// the checkpoint is searched for the checkpoint's entry.
  package func queue(at cursor: PlayQueue.Cursor) -> PlayQueue {
    var snapshot = snapshot
    snapshot.move(to: cursor)
    return PlayQueue(snapshot) ?? PlayQueue(seed: snapshot.generator)
  }
}
