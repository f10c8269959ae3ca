// Letters as ASCII has them. Pure; any thread.

extension UInt8 {
  /// A capital of A to Z as its small letter; any other byte as it is.
  package var asciiLowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }
}
