// Sleep times of a worker whose ring is full. A value; worker process only.

/// Decides when the ring is refilled, to keep wake-ups rare.
struct Pacing: Hashable {
  let capacity: Int
  let rate: Int

  /// Frames freed between the last two refills. An output with a deep buffer reads in steps of a second.
  private(set) var step = 0

  init(capacity: Int, rate: Int) {
    self.capacity = capacity
    self.rate = rate
  }

  /// Free frames at which the ring is refilled: 0.9 s of playback between wake-ups, with more than a second
  /// left for slow storage.
  var threshold: Int { capacity * 5 / 16 }

  /// Records the free frames at the start of a refill.
  mutating func noteFilling(free: Int) { step = min(free, capacity * 7 / 16) }

  /// Milliseconds until the reader will have freed the next step, at least a quarter of a second. Matching
  /// the reader's steps gives one wake-up for each.
  func milliseconds(free: Int) -> Int32 {
    let missing = max(capacity / 12, max(threshold, step) - free)
    return Int32((missing * 1000 + rate - 1) / rate + 1)
  }

  /// Milliseconds without progress after which the reader counts as paused: the length of the ring. At the
  /// start of a track the ring does not move for 1.4 s, until the device's queue and the retained frames are
  /// full.
  var standstillMilliseconds: Int32 { Int32(capacity * 1000 / rate) }
}
