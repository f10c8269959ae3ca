// What the device was given, and what of that is heard. A pure value; audio thread.

import PlaybackModel

/// Frames of the timeline on their way through the device.
struct OutputProgress {
  /// The frame being heard when the device was last asked.
  private(set) var heard: Int64 = 0
  /// The first frame that the device had not taken from its queue then. What lies between is on its way to the ear.
  private(set) var taken: Int64 = 0
  /// When it was last seen to have taken any.
  private(set) var movedAt: UInt64 = 0
  /// When that was, in nanoseconds of the device's clock.
  private(set) var heardAt: UInt64 = 0
  /// The first frame that the device was not given yet.
  private(set) var handedOver: Int64 = 0
  /// Whether what was handed over is being played.
  private(set) var isStarted = false

  /// The device stands still at a frame; nothing is queued.
  mutating func rest(at frame: Int64, time: UInt64) {
    heard = frame
    taken = frame
    handedOver = frame
    heardAt = time
    isStarted = false
  }

  /// The device plays from now on.
  mutating func start(at time: UInt64) {
    isStarted = true
    heardAt = time
    movedAt = time
  }

  /// The device plays on after it stood still for a reason of its own.
  mutating func goOn(at time: UInt64) {
    heardAt = time
    movedAt = time
  }

  /// The device has so many frames queued, and so many more that nobody has heard yet. Answers whether it has taken any
  /// since it was last asked.
  mutating func note(queued: Int, latency: Int, at time: UInt64) -> Bool {
    let next = handedOver - Int64(queued)
    let hasMoved = next > taken
    if hasMoved {
      taken = next
      movedAt = time
    }
    heard = max(heard, taken - Int64(latency))
    heardAt = time
    return hasMoved
  }

  /// The device has taken so many frames more.
  mutating func handOver(_ frames: Int) { handedOver += Int64(frames) }

  /// The device has given back everything from a frame on.
  mutating func takeBack(to frame: Int64) { handedOver = frame }

  /// All up to a frame counts as heard: a recording has no queue.
  mutating func hear(upTo frame: Int64) {
    heard = frame
    taken = frame
  }

  /// What the device had played by a time, as far as the clock shows: after a fault it cannot be asked any more.
  func played(by time: UInt64, rate: SampleRate) -> Int64 {
    guard isStarted else { return heard }
    let elapsed = Double(time - heardAt) * Double(rate.hertz) / 1e9
    return max(heard, min(handedOver, heard + Int64(elapsed)))
  }
}
