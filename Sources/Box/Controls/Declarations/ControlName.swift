// What a button, a knob or a light is called. Pure values; any thread.

/// The name of a control: 1 to 24 of `a-z 0-9 - _`, a letter first.
package struct ControlName: Hashable, Comparable, Sendable {
  /// The most bytes of a name.
  package static let maxLength = 24

  /// The name as it is written.
  package let text: String

  /// Nil unless `text` can be a name; capital letters are taken as small ones.
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
