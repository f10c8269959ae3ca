// A hash that is the same in every process, unlike Swift's own. Not for secrets. Pure; any thread.

/// FNV-1a, 64 bits.
package struct StableHash: Sendable {
  /// What the bytes so far come to.
  package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  /// Of nothing so far.
  package init() {}

  private mutating func add(byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }

  /// Adds a text, and its end.
  package mutating func add(_ text: String) {
    for byte in text.utf8 { add(byte: byte) }
    add(byte: 0)
  }

  /// Adds a number, lowest byte first.
  package mutating func add(_ number: UInt64) {
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      add(byte: UInt8(truncatingIfNeeded: number >> shift))
    }
  }
}
