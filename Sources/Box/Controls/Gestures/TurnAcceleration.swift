// How many steps a detent is worth when a knob is turned fast. Pure; any thread.

/// Fast turning counts more. At 60 ms a detent and slower a detent is one step; faster, it is
/// 60 ms divided by the time of a detent, in whole steps, up to `most`: 30 ms give 2, 20 ms 3, 15 ms 4.
/// A change of direction begins again at 1, so that a fine correction after a fast turn is fine.
package enum TurnAcceleration {
  /// The most steps of one detent.
  package static let maxCount = 4
  /// The most detents taken from one input; a panel may write any number.
  package static let maxDetents = 64

  /// The steps of one detent.
  /// - Parameter interval: nanoseconds since the detent before, the same way; nil if there is none.
  ///   Under a millisecond it is not a hand's but that of inputs that were read together: 1.
  package static func factor(interval: UInt64?) -> Int {
    guard let interval, interval >= 1_000_000, interval <= 60_000_000 else { return 1 }
    return min(maxCount, Int(60_000_000 / interval))
  }
}
