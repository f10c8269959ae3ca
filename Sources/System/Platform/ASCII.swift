// ASCII case conversion and hexadecimal digits, without Unicode tables. Pure; any thread.

extension String {
  /// The text with A to Z in lower case. (`lowercased()` would link large Unicode tables.)
  package var asciiLowercased: String {
    guard utf8.contains(where: { $0 != $0.asciiLowercased }) else { return self }
    return String(decoding: utf8.map { $0.asciiLowercased }, as: UTF8.self)
  }
}

extension UInt8 {
  /// The byte in lower case if it is A to Z; unchanged otherwise.
  package var asciiLowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }

  /// The value of the ASCII digit 0 to 9, A to F or a to f; nil for other bytes.
  package var hexadecimalValue: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46: self - 0x37
    case 0x61...0x66: self - 0x57
    default: nil
    }
  }
}
