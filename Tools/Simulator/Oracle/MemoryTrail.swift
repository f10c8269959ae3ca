// History of the states that a box would have to restore after a power cut. Values; one thread.

import PlaybackModel
import Player

/// Recent states of a box, compared with the restored state after a restart.
struct MemoryTrail {
  struct Moment {
    let time: UInt64
    let kept: Kept
    let intent: Intent
  }

  private(set) var moments: [Moment] = []
  private var revision: UInt64?
  private var queue: [String] = []
  private static let spacing: UInt64 = 200_000_000
  /// Minimum time that is kept while the storage works, in nanoseconds.
  private static let length: UInt64 = 16_000_000_000

  /// Records the present state if it differs from the last one or some time has passed.
  mutating func note(_ player: Player, _ intent: Intent, at now: UInt64) {
    if player.queue.revision != revision {
      revision = player.queue.revision
      queue = player.queue.tracks.map { $0.path }
    }
    let kept = Kept(player, queue: queue)
    if let last = moments.last, last.kept.isSame(as: kept, comparesVolume: true),
      now < last.time + Self.spacing,
      last.intent.hold == intent.hold, kept.position >= last.kept.position,
      // The final position of a pause is reported only once.
      kept.position < last.kept.position + (kept.mode.plays ? 1000 : 1)
    {
      return
    }
    note(kept, intent, at: now)
  }

  /// Records a restored state.
  mutating func note(_ kept: Kept, _ intent: Intent, at now: UInt64) {
    moments.append(Moment(time: now, kept: kept, intent: intent))
  }

  /// Drops states too old to be restored.
  mutating func trim(before time: UInt64) {
    guard moments.count > 400 else { return }
    let bound = time > Self.length ? time - Self.length : 0
    let old = moments.prefix { $0.time < bound }.count
    if old > 200 { moments.removeFirst(old) }
  }

  mutating func restart() {
    moments = []
    readQueueAgain()
  }

  /// Forgets the queue's revision: a new process counts from the start.
  mutating func readQueueAgain() { revision = nil }
}
