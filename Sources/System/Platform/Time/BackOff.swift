// Trying again, each time after a longer wait. Control thread only.

/// Waits that grow from `first` to `longest`, each twice the one before, and none exactly so: boxes that were switched
/// on together shall not knock together. The jitter derives from the time, so that a simulated run can be repeated.
package struct BackOff: Sendable {
  /// The first wait, in nanoseconds.
  package let first: UInt64
  /// The longest wait, in nanoseconds.
  package let longest: UInt64
  /// How many waits were given out since the last `reset`.
  package private(set) var tries = 0

  /// Waits between these bounds.
  package init(first: UInt64, longest: UInt64) {
    precondition(first > 0 && first <= longest, "waits grow from something")
    self.first = first
    self.longest = longest
  }

  /// The next wait in nanoseconds: up to an eighth shorter than what its turn would be.
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

  /// It worked: the next wait is the first again.
  package mutating func reset() { tries = 0 }
}
