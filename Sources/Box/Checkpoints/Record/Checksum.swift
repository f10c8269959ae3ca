// The checksum of slots and queues. Pure; any thread but the audio thread.

/// CRC-64/XZ: the reflected polynomial of ECMA-182, with input and output inverted; the check value of
/// "123456789" is 0x995D_C9BB_DF19_39FA. It misses one of 2⁶⁴ random corruptions and offers no protection
/// against forgery.
package enum Checksum {
  private static let table: [UInt64] = (0..<256).map { byte in
    var value = UInt64(byte)
    for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xC96C_5795_D787_0F42 : value >> 1 }
    return value
  }

  /// The checksum of an array.
  package static func of(_ bytes: [UInt8]) -> UInt64 { of(bytes[...]) }

  /// The checksum of a slice.
  package static func of(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    table.withUnsafeBufferPointer { table in
      bytes.withUnsafeBufferPointer { bytes in
        var value = UInt64.max
        for byte in bytes { value = table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ value >> 8 }
        return ~value
      }
    }
  }
}
