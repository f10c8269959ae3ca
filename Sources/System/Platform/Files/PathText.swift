// Conversion between file names, which are bytes, and text. Pure; any thread.
//
// Bytes that are not valid UTF-8 become characters from U+EF80 to U+EFFF, one each, and are converted back
// when a path is opened. To keep this reversible, the bytes of a name that contains these characters itself
// are encoded in the same way.

extension String {
  /// Decodes the bytes of a name.
  package init(pathBytes bytes: some Collection<UInt8>) {
    let text = String(decoding: bytes, as: UTF8.self)
    // Valid UTF-8 without characters of the reserved range needs no encoding.
    if text.utf8.elementsEqual(bytes), !text.unicodeScalars.contains(where: standsForByte) {
      self = text
      return
    }
    let bytes = Array(bytes)
    var scalars = String.UnicodeScalarView()
    var index = 0
    while index < bytes.count {
      var iterator = bytes[index..<Swift.min(index + 4, bytes.count)].makeIterator()
      var decoder = UTF8()
      if case .scalarValue(let scalar) = decoder.decode(&iterator), !standsForByte(scalar) {
        scalars.append(scalar)
        index += UTF8.width(scalar)
      } else {
        // A byte below 0x80 is always valid, so the offset stays in the reserved range.
        scalars.append(Unicode.Scalar(0xEF00 + UInt32(bytes[index]))!)
        index += 1
      }
    }
    self = String(scalars)
  }

  /// Calls `body` with the name's bytes, terminated by a zero.
  package func withPath<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    guard unicodeScalars.contains(where: standsForByte) else { return withCString(body) }
    var bytes: [CChar] = []
    for scalar in unicodeScalars {
      if standsForByte(scalar) {
        bytes.append(CChar(truncatingIfNeeded: scalar.value & 0xFF))
      } else {
        for byte in String(scalar).utf8 { bytes.append(CChar(bitPattern: byte)) }
      }
    }
    bytes.append(0)
    return bytes.withUnsafeBufferPointer { body($0.baseAddress!) }
  }
}

private func standsForByte(_ scalar: Unicode.Scalar) -> Bool { (0xEF80...0xEFFF).contains(scalar.value) }
