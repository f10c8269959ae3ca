// Identity of an RFID tag. A pure value; any thread.

/// Id of an RFID tag: 1 to 32 lower-case letters and digits.
///
/// Readers format the same tag as `0012345678`, `04:A2:1B` or `04-a2-1b`. Upper case is converted to lower case, and
/// colons and dashes are removed.
package struct TagID: Hashable, Sendable {
  /// Maximum number of letters and digits.
  package static let maxLength = 32

  /// The normalised id for display and storage.
  package let text: String

  /// An id; nil if `text` is not a valid one.
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
