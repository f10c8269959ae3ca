// What a box would have had to remember at each moment of the last while. Values; one thread.

import PlaybackModel
import Player

/// The last moments of a box, for when its power is gone.
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
  /// Nanoseconds that are kept at least, without trouble.
  private static let length: UInt64 = 16_000_000_000

  /// Takes down the present, if it differs from the last moment or that is some time ago.
  mutating func note(_ player: Player, _ intent: Intent, at now: UInt64) {
    if player.queue.revision != revision {
      revision = player.queue.revision
      queue = player.queue.tracks.map { $0.path }
    }
    let kept = Kept(player, queue: queue)
    if let last = moments.last, last.kept.isSame(as: kept, comparesVolume: true),
      now < last.time + Self.spacing,
      last.intent.hold == intent.hold, kept.position >= last.kept.position,
      // Where a pause has come to rest is told once.
      kept.position < last.kept.position + (kept.mode.plays ? 1000 : 1)
    {
      return
    }
    note(kept, intent, at: now)
  }

  /// Takes down what was taken up.
  mutating func note(_ kept: Kept, _ intent: Intent, at now: UInt64) {
    moments.append(Moment(time: now, kept: kept, intent: intent))
  }

  /// Forgets what is older than all that may come back.
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

  /// Another box counts the revisions of its queue anew.
  mutating func readQueueAgain() { revision = nil }
}
