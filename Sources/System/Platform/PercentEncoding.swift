// Percent escapes of URIs. Pure; any thread.

extension Array where Element == UInt8 {
  /// The bytes with their percent escapes decoded (RFC 3986, section 2.1). A percent sign without two digits stays, and
  /// so does the escape of the byte 0, which no path may contain.
  package var percentDecoded: [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(count)
    var index = 0
    while index < count {
      if self[index] == 0x25, index + 2 < count, let high = self[index + 1].hexadecimalValue,
        let low = self[index + 2].hexadecimalValue, high | low != 0
      {
        decoded.append(high << 4 | low)
        index += 3
      } else {
        decoded.append(self[index])
        index += 1
      }
    }
    return decoded
  }
}
