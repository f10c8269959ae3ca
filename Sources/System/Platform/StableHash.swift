// A hash with the same value in every process, unlike Swift's `Hasher`. Not cryptographic. Pure; any thread.

/// An incremental FNV-1a hash of 64 bits.
package struct StableHash: Sendable {
  /// The hash of the data added so far.
  package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  /// Creates the hash of no data.
  package init() {}

  private mutating func add(byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }

  /// Adds a text and a terminating zero.
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
