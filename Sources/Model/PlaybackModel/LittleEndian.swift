// Numbers as bytes, the lowest first. Pure; any thread.

extension [UInt8] {
  /// Appends the lowest bytes of a number, the lowest of them first.
  package mutating func append(littleEndian value: UInt64, bytes count: Int) {
    for place in 0..<count { append(UInt8(truncatingIfNeeded: value >> UInt64(8 * place))) }
  }
}
