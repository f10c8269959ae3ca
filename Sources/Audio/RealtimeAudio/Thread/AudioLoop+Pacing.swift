// How long the loop may wait: until the queue wants more, something heard has to be reported, or silence has lasted.
// Audio thread.

import PlaybackModel
import Synchronization

/// Lengths that the loop goes by, in frames of the device.
struct QueueLengths {
  /// The longest queue that the mixer can render again.
  let longest: Int
  /// The queue of a box that is being used: what a command takes back, it renders again.
  let brisk: Int
  /// The queue beside a live source, whose delay it adds to.
  let live: Int
  /// How much silence is played before the device rests.
  let linger: Int64
  /// With this much left a deep queue is filled again.
  let lowWater: Int64
  /// What is written at once after a rewind, before the rest is rendered.
  let firstWrite: Int
  /// What is left to be heard of a deck's ring: the writer is late, is in time, or has a moment left.
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

/// When the loop last did something for commands, on the device's clock.
struct AnswerTimes {
  /// They were taken.
  var takenAt: UInt64 = 0
  /// What was queued was taken back for them.
  var rewoundAt: UInt64 = 0
}

extension AudioLoop {
  /// Whether the queue lasts long enough for other things to go first.
  var isQueueComfortable: Bool {
    mixer.frame.count - progress.taken > lengths.lowWater / 10
  }

  /// Whether the queue is not due to be filled yet.
  var isQueueAmple: Bool { mixer.frame.count - progress.taken > lengths.lowWater }

  /// Nanoseconds until the queue wants more, or something is heard that has to be reported.
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
      // Raising the limit wakes the loop; until then there is nothing to write.
      frames = mixer.frame.count - heard + 1
    } else if isShort {
      // A ring that cannot give a full queue yet is looked at again soon.
      frames = min(max(queued - lengths.lowWater / 10, lengths.lowWater / 30), lengths.lowWater / 6)
    }
    if let event = mixer.nextEventFrame { frames = min(frames, event.count - heard + 1) }
    // Readers of the position learn when it ceases to move as it did, events or no.
    frames = min(frames, steadyUntil.count - heard + 1)
    if let silent = silentSince { frames = max(0, min(frames, silent + lengths.linger - heard)) }
    let perFrame = 1_000_000_000 / Double(device.rate.hertz)
    return max(200_000, Int64(Double(max(0, frames)) * perFrame))
  }

  /// Whether silence has lasted so long that the device may rest.
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

  /// Lets the device rest.
  func park() {
    device.stop()
    phase = .parked
    // Silence that was queued and not heard did not happen.
    silentSince = nil
    link.parked.store(true, ordering: .releasing)
    standStill()
  }
}
