// Seeded random numbers for reproducible simulations. Pure values; any thread; uses no entropy of the system.

/// Generator with the same sequence for the same seed on every machine (splitmix64; Steele, Lea and Flood, 2014).
package struct Randomness: Sendable {
  private var state: UInt64

  /// Creates a generator.
  package init(seed: UInt64) { state = seed &* 0xD134_2543_DE82_EF95 &+ 0x2545_F491_4F6C_DD1D }

  /// Returns the next 64 random bits.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mixed(state)
  }

  /// Returns a number from 0 up to, but not including, `bound`.
  package mutating func below(_ bound: Int) -> Int {
    precondition(bound > 0, "there is nothing below zero to choose from")
    return Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// Returns a number within a range, bounds included.
  package mutating func within(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + below(range.upperBound - range.lowerBound + 1)
  }

  /// Returns true with probability 1/`count`.
  package mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

  /// Returns a random element; the array must not be empty.
  package mutating func one<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }

  /// Hashes 64 bits (the finalizer of splitmix64).
  static func mixed(_ value: UInt64) -> UInt64 {
    var bits = value
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
