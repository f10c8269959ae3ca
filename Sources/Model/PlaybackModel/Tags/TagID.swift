// What a tag is known by. Pure value; any thread.

/// The identity of an RFID tag: 1 to 32 letters and digits.
///
/// Readers write the same tag as `0012345678`, `04:A2:1B` or `04-a2-1b`: capitals are taken as small letters, and colons and dashes are
/// left out.
package struct TagID: Hashable, Sendable {
  /// The most letters and digits.
  package static let maxLength = 32

  /// As it is shown and kept.
  package let text: String

  /// Nil unless `text` can be a tag's.
  package init?(_ text: String) {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x61...0x7A: bytes.append(byte)
      case 0x41...0x5A: bytes.append(byte + 0x20)
      case 0x3A, 0x2D: continue
      default: return nil
      }
      guard bytes.count <= Self.maxLength else { return nil }
    }
    guard !bytes.isEmpty else { return nil }
    self.text = String(decoding: bytes, as: UTF8.self)
  }
}
