// Little-endian encoding of integers. Pure; any thread.

extension [UInt8] {
  /// Appends the `count` least significant bytes of a number in little-endian order.
  package mutating func append(littleEndian value: UInt64, bytes count: Int) {
    for place in 0..<count { append(UInt8(truncatingIfNeeded: value >> UInt64(8 * place))) }
  }
}
