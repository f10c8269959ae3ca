// Acceleration of fast turns: the number of steps per detent. Pure; any thread.

/// Counts more steps per detent when a knob is turned fast. At 60 ms per detent and slower a detent is one
/// step; faster, it is 60 ms divided by the time of a detent, in whole steps, at most `maxCount`: 2 at 30 ms,
/// 3 at 20 ms, 4 at 15 ms. A change of direction starts again at 1, so that the user can correct a fast turn
/// finely.
package enum TurnAcceleration {
  /// The most steps of one detent.
  package static let maxCount = 4
  /// The most detents counted from one input, because a panel may report any number.
  package static let maxDetents = 64

  /// The number of steps of one detent.
  ///
  /// - Parameter interval: Nanoseconds since the previous detent in the same direction; nil if there is none.
  ///   An interval below a millisecond comes from inputs that were read together and counts as slow.
  package static func factor(interval: UInt64?) -> Int {
    guard let interval, interval >= 1_000_000, interval <= 60_000_000 else { return 1 }
    return min(maxCount, Int(60_000_000 / interval))
  }
}
