// Reproducible random numbers. Test threads.

import Foundation
import PlaybackModel

/// The seed of all patterns of this run; SWIFTLET_SEED repeats an earlier run.
let patternSeed: UInt64 = {
  let seed =
    ProcessInfo.processInfo.environment["SWIFTLET_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...9_999_999)
  print("press patterns: SWIFTLET_SEED=\(seed)")
  return seed
}()

/// A seeded generator and the distributions that the patterns use.
struct Seeded: RandomNumberGenerator {
  private var generator: ShuffleGenerator

  init(seed: UInt64) { generator = ShuffleGenerator(seed: seed) }

  mutating func next() -> UInt64 { generator.next() }

  mutating func chance(_ count: Int, of total: Int) -> Bool {
    Int.random(in: 0..<total, using: &self) < count
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
}
