// The number of a tag, as its chip has it. Pure; any thread.

import PlaybackModel

extension TagID {
  /// How many bytes a UID has (ISO 14443-3).
  static let uidLengths = [4, 7, 10]
  /// With this first byte a UID of four bytes is drawn anew each time: phones and passports have such.
  private static let random: UInt8 = 0x08

  /// A UID in hexadecimal digits, first byte first, as all readers write it. Nil for what is none, or belongs to no tag for long.
  package init?(uid: [UInt8]) {
    guard Self.uidLengths.contains(uid.count), uid.count != 4 || uid[0] != Self.random else { return nil }
    var digits: [UInt8] = []
    for byte in uid {
      for digit in [byte >> 4, byte & 15] { digits.append(digit < 10 ? 0x30 + digit : 0x57 + digit) }
    }
    self.init(String(decoding: digits, as: UTF8.self))
  }

  /// Whether it has hexadecimal digits only.
  var isHexadecimal: Bool {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}
