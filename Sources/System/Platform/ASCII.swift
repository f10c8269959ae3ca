// ASCII case conversion, without Unicode tables. Pure; any thread.

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
}
