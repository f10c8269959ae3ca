// Conversion of a tag chip's UID to a tag's number. Pure; any thread.

import PlaybackModel

extension TagID {
  /// The valid lengths of a UID in bytes (ISO 14443-3).
  static let uidLengths = [4, 7, 10]
  /// The first byte of a random four-byte UID (ISO 14443-3), as phones and passports use it.
  private static let random: UInt8 = 0x08

  /// Formats a UID in hexadecimal, first byte first, as most readers do; nil for an invalid length or a
  /// random UID.
  package init?(uid: [UInt8]) {
    guard Self.uidLengths.contains(uid.count), uid.count != 4 || uid[0] != Self.random else { return nil }
    var digits: [UInt8] = []
    for byte in uid {
      for digit in [byte >> 4, byte & 15] { digits.append(digit < 10 ? 0x30 + digit : 0x57 + digit) }
    }
    self.init(String(decoding: digits, as: UTF8.self))
  }

  /// Whether the number consists of hexadecimal digits only.
  var isHexadecimal: Bool {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}
