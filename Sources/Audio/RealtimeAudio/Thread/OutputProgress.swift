// Frames passed to the device and how many of them are audible. A pure value; audio thread.

import PlaybackModel

/// Position of the output in timeline frames.
struct OutputProgress {
  /// The frame that was audible at the last query of the device.
  private(set) var heard: Int64 = 0
  /// The first frame that was still in the device's queue at the last query. Frames before it and from `heard` on are
  /// in the device's latency.
  private(set) var taken: Int64 = 0
  /// When the device was last seen to consume frames, in nanoseconds of its clock.
  private(set) var movedAt: UInt64 = 0
  /// Time of the last query, in nanoseconds of the device's clock.
  private(set) var heardAt: UInt64 = 0
  /// The first frame that was not passed to the device yet.
  private(set) var handedOver: Int64 = 0
  /// Whether the device is playing.
  private(set) var isStarted = false

  /// Records that the device is stopped at a frame with an empty queue.
  mutating func rest(at frame: Int64, time: UInt64) {
    heard = frame
    taken = frame
    handedOver = frame
    heardAt = time
    isStarted = false
  }

  /// Records that the device has started.
  mutating func start(at time: UInt64) {
    isStarted = true
    heardAt = time
    movedAt = time
  }

  /// Records that the device has resumed after a suspend.
  mutating func goOn(at time: UInt64) {
    heardAt = time
    movedAt = time
  }

  /// Records the result of a query.
  ///
  /// - Parameters:
  ///   - queued: Frames in the device's queue.
  ///   - latency: Frames consumed from the queue and not audible yet.
  ///   - time: Nanoseconds of the device's clock.
  /// - Returns: Whether the device has consumed frames since the last query.
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

  /// Records that frames were written to the device.
  mutating func handOver(_ frames: Int) { handedOver += Int64(frames) }

  /// Records that the device was rewound to a frame.
  mutating func takeBack(to frame: Int64) { handedOver = frame }

  /// Marks all frames up to `frame` as audible; for recordings, which have no queue.
  mutating func hear(upTo frame: Int64) {
    heard = frame
    taken = frame
  }

  /// Estimates from the clock which frame had been played at a time; after a fault the device cannot be queried.
  func played(by time: UInt64, rate: SampleRate) -> Int64 {
    guard isStarted else { return heard }
    let elapsed = Double(time - heardAt) * Double(rate.hertz) / 1e9
    return max(heard, min(handedOver, heard + Int64(elapsed)))
  }
}
