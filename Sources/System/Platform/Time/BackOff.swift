// Exponential backoff with jitter. Control thread only.

/// Waits that double from `first` to `longest`, each shortened by jitter so that devices switched on together
/// do not retry together. The jitter derives from the time, so that simulated runs are reproducible.
package struct BackOff: Sendable {
  /// The first wait, in nanoseconds.
  package let first: UInt64
  /// The longest wait, in nanoseconds.
  package let longest: UInt64
  /// The number of waits since the last `reset`.
  package private(set) var tries = 0

  /// Creates a backoff between these bounds, in nanoseconds.
  package init(first: UInt64, longest: UInt64) {
    precondition(first > 0 && first <= longest, "waits grow from something")
    self.first = first
    self.longest = longest
  }

  /// The next wait in nanoseconds: the nominal wait minus up to an eighth.
  ///
  /// - Parameter now: The current time, which seeds the jitter.
  package mutating func next(at now: UInt64) -> UInt64 {
    let shift = UInt64(min(tries, 62))
    tries = min(tries + 1, 1_000_000)
    let whole = first > longest >> shift ? longest : first << shift
    // One round of splitmix64 (Steele, Lea and Flood, 2014).
    var bits = now &+ 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    bits ^= bits >> 31
    return whole - (whole / 8).multipliedFullWidth(by: bits).high
  }

  /// Starts again from the first wait after a success.
  package mutating func reset() { tries = 0 }
}
