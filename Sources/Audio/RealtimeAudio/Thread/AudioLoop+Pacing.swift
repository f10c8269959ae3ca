// How long the audio loop may wait: until the queue needs frames, an event must be reported, or silence has lasted long
// enough to stop the device. Audio thread.

import PlaybackModel
import Synchronization

/// Queue lengths and thresholds of the loop, in frames of the device.
struct QueueLengths {
  /// Longest queue that the mixer can render again.
  let longest: Int
  /// Queue length for a second after a command, because another command would rewind and render it again.
  let brisk: Int
  /// Queue length during a live input, whose delay it increases.
  let live: Int
  /// Length of silence after which the device stops.
  let linger: Int64
  /// Queue length at which a deep queue is refilled.
  let lowWater: Int64
  /// Length that is written at once after a rewind, before the rest is rendered.
  let firstWrite: Int
  /// Thresholds for the remaining frames of a ring.
  ///
  /// Below `low` the writer is late, from `ample` on it is in time, and below `dry` the ring is about to run dry.
  let ring: (low: Int, ample: Int, dry: Int)

  init(rate: SampleRate) {
    longest = Int(rate.frames(Mixer.maxQueue).count)
    brisk = Int(rate.frames(Seconds(0.35)).count)
    live = Int(rate.frames(Seconds(0.08)).count)
    linger = rate.frames(Seconds(1)).count
    lowWater = rate.frames(Seconds(0.15)).count
    firstWrite = Int(rate.frames(Seconds(0.015)).count)
    ring = (
      Int(rate.frames(Seconds(1.2)).count), Int(rate.frames(Seconds(1.5)).count),
      Int(rate.frames(Seconds(0.6)).count)
    )
  }
}

/// When the loop last processed commands, in nanoseconds of the device's clock.
struct AnswerTimes {
  /// When commands were dequeued.
  var takenAt: UInt64 = 0
  /// When the queue was rewound for commands.
  var rewoundAt: UInt64 = 0
}

extension AudioLoop {
  /// Whether the queue is long enough to delay refilling.
  var isQueueComfortable: Bool {
    mixer.frame.count - progress.taken > lengths.lowWater / 10
  }

  /// Whether the queue does not need to be refilled yet.
  var isQueueAmple: Bool { mixer.frame.count - progress.taken > lengths.lowWater }

  /// Nanoseconds until the queue needs frames, an event becomes audible, or the movement of the positions changes.
  func timeUntilNextTurn(steadyUntil: Frames) -> Int64 {
    let heard = progress.heard
    let queued = mixer.frame.count - progress.taken
    var frames: Int64
    switch strategy {
    case .deep(let queue, _):
      frames = queued - min(lengths.lowWater, Int64(min(queue, queueLimit)) / 2)
    case .shallow(let queue): frames = queued - Int64(queue) * 3 / 4
    case .offline: return isShort ? 1_000_000 : 0
    }
    if hasLimit, mixer.frame.count >= limit {
      // Raising the limit wakes the loop; until then nothing can be written.
      frames = mixer.frame.count - heard + 1
    } else if isShort {
      // Check soon again whether the ring can fill the queue.
      frames = min(max(queued - lengths.lowWater / 10, lengths.lowWater / 30), lengths.lowWater / 6)
    }
    if let event = mixer.nextEventFrame { frames = min(frames, event.count - heard + 1) }
    // Position readings extrapolate only up to this frame, with or without an event.
    frames = min(frames, steadyUntil.count - heard + 1)
    if let silent = silentSince { frames = max(0, min(frames, silent + lengths.linger - heard)) }
    let perFrame = 1_000_000_000 / Double(device.rate.hertz)
    return max(200_000, Int64(Double(max(0, frames)) * perFrame))
  }

  /// Whether silence has lasted long enough to stop the device.
  func shouldPark() -> Bool {
    guard mixer.isQuiescent, !hasLimit else {
      silentSince = nil
      return false
    }
    if case .offline = strategy { return true }
    let since = silentSince ?? mixer.frame.count
    silentSince = since
    return progress.heard >= since + lengths.linger
  }

  /// Stops the device.
  func park() {
    device.stop()
    phase = .parked
    // Queued silence that was not played is dropped.
    silentSince = nil
    link.parked.store(true, ordering: .releasing)
    standStill()
  }
}
