// A small seedable random number generator for reproducible shuffles. A pure value; any thread.

/// SplitMix64 (Steele, Lea and Flood, 2014): 64 bits of state, sufficient to shuffle a queue.
package struct ShuffleGenerator: RandomNumberGenerator, Hashable, Sendable {
  /// The complete state. A generator seeded with it continues the sequence.
  package private(set) var state: UInt64

  /// Creates a generator; equal seeds give equal sequences.
  package init(seed: UInt64) { state = seed }

  /// The next random 64-bit number.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A random number below `bound`, which must be positive.
  ///
  /// Multiply and shift (Lemire, 2019) without the rejection step; the bias for queue lengths is below 2⁻⁵⁰.
  mutating func index(below bound: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  mutating func shuffle(_ items: inout [Int], from start: Int) {
    var i = items.count - 1
    while i > start {
      items.swapAt(i, start + index(below: i - start + 1))
      i -= 1
    }
  }
}
