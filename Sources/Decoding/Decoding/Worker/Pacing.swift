// How long a worker with a full ring may sleep. A value; worker only.

/// When a worker with a full ring looks again.
struct Pacing: Hashable {
  let capacity: Int
  let rate: Int

  /// Frames that the reader freed between the last two fillings: where the device's buffer is deep, it moves in steps of
  /// a second.
  private(set) var step = 0

  init(capacity: Int, rate: Int) {
    self.capacity = capacity
    self.rate = rate
  }

  /// The ring is filled again once this much of it is free: 0.9 s of play between two wake-ups, and more than
  /// a second still to be heard if the disk is slow just then.
  var threshold: Int { capacity * 5 / 16 }

  /// The ring, with so much free, is filled again.
  mutating func noteFilling(free: Int) { step = min(free, capacity * 7 / 16) }

  /// Milliseconds until a reader in steady play has freed what it freed the last time: whoever sleeps for as long as the
  /// reader's steps wakes once for each. Shorter waits than a quarter of a second would be woken up from for nothing.
  func milliseconds(free: Int) -> Int32 {
    let missing = max(capacity / 12, max(threshold, step) - free)
    return Int32((missing * 1000 + rate - 1) / rate + 1)
  }

  /// Milliseconds without any movement after which the reader is taken to stand still: all that the ring
  /// holds. When a track begins nothing is seen of it for 1.4 s, until retention and device queue are over.
  var standstillMilliseconds: Int32 { Int32(capacity * 1000 / rate) }
}
