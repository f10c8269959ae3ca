// A small seedable random generator, so that a shuffle can be repeated. Pure value; any thread.

/// Splitmix64 (Steele, Lea and Flood, 2014): one 64-bit word of state, good enough to shuffle a queue.
package struct ShuffleGenerator: RandomNumberGenerator, Hashable, Sendable {
  /// The whole of its memory: a generator seeded with it goes on where this one is.
  package private(set) var state: UInt64

  /// The same seed gives the same sequence.
  package init(seed: UInt64) { state = seed }

  /// The next word.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A number from 0 up to, not including, `bound`, which must be above 0. Multiply and shift (Lemire,
  /// 2019) without the rejection step: the bias for queue lengths is below 2⁻⁵⁰.
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
