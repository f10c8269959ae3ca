// The name of a button, knob, light or reader. Pure values; any thread.

/// A control's name: 1 to 24 characters of `a-z 0-9 - _`, beginning with a letter.
package struct ControlName: Hashable, Comparable, Sendable {
  /// The most bytes of a name.
  package static let maxLength = 24

  /// The name in lower case.
  package let text: String

  /// Creates a name, converting it to lower case; nil for an invalid one.
  package init?(_ text: String) {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x41...0x5A: bytes.append(byte + 0x20)
      case 0x61...0x7A: bytes.append(byte)
      case 0x30...0x39, 0x2D, 0x5F:
        if bytes.isEmpty { return nil }
        bytes.append(byte)
      default: return nil
      }
    }
    guard !bytes.isEmpty, bytes.count <= Self.maxLength else { return nil }
    self.text = String(decoding: bytes, as: UTF8.self)
  }

  package static func < (a: ControlName, b: ControlName) -> Bool {
    a.text.utf8.lexicographicallyPrecedes(b.text.utf8)
  }
}
