// Letters as ASCII has them. Pure; any thread.

extension String {
  /// The letters A to Z made small; everything else stays. (`lowercased()` needs large Unicode tables.)
  package var asciiLowercased: String {
    guard utf8.contains(where: { $0 != $0.asciiLowercased }) else { return self }
    return String(decoding: utf8.map { $0.asciiLowercased }, as: UTF8.self)
  }
}

extension UInt8 {
  /// A capital of A to Z as its small letter; any other byte as it is.
  package var asciiLowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }
}
