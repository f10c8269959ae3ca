// Chance that can be repeated.

import Foundation

/// What all patterns of this run come from; SWIFTLET_SEED repeats another run's.
let patternSeed: UInt64 = {
  let seed =
    ProcessInfo.processInfo.environment["SWIFTLET_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...9_999_999)
  print("press patterns: SWIFTLET_SEED=\(seed)")
  return seed
}()

/// SplitMix64.
struct Seeded: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func chance(_ count: Int, of total: Int) -> Bool {
    Int.random(in: 0..<total, using: &self) < count
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
}
