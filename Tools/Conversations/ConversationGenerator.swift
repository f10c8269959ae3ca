// Generates conversations from a seed, for runs without libFuzzer. Pure; any thread; uses no entropy of the system.

/// Generator of random conversations.
package enum ConversationGenerator {
  /// Returns the conversation of a seed, which is the same on every machine.
  package static func bytes(seed: UInt64) -> [UInt8] {
    // splitmix64 (Steele, Lea and Flood, 2014).
    var state = seed &* 0xD134_2543_DE82_EF95 &+ 0x2545_F491_4F6C_DD1D
    func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var bits = state
      bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
      bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
      return bits ^ (bits >> 31)
    }
    func byte() -> UInt8 { UInt8(truncatingIfNeeded: next() >> 13) }
    var bytes = (0..<5).map { _ in byte() }
    // Mostly start with a decoder that is ready, often with one already playing, because most bugs need that.
    if next() % 4 > 0 {
      bytes += [3, 0, 0]
      if next() % 4 > 0 { for _ in 0...next() % 3 { bytes += [0, [6, 7, 8][Int(next() % 3)]] } }
    }
    let count = 12 + Int(next() % 160)
    return bytes + (0..<count).map { _ in byte() }
  }
}
