// Base64 (RFC 4648, section 4). Pure; any thread.

/// Encodes and decodes Base64.
package enum Base64 {
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding: UInt8 = 0x3D

  /// Encodes bytes.
  package static func text(_ bytes: ArraySlice<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var place = bytes.startIndex
    while place < bytes.endIndex {
      let count = min(3, bytes.endIndex - place)
      var group = 0
      for i in 0..<3 { group = group << 8 | (i < count ? Int(bytes[place + i]) : 0) }
      for i in 0..<4 { text.append(i <= count ? letters[group >> (18 - 6 * i) & 63] : padding) }
      place += count
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes a text; nil if it is invalid. Padding is optional, because some taggers omit it.
  package static func bytes(_ text: some Collection<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var (group, bits, padded) = (0, 0, 0)
    for letter in text {
      guard letter != padding else {
        padded += 1
        continue
      }
      guard padded == 0, let value = value(letter) else { return nil }
      group = (group << 6 | value) & 0xFF_FFFF
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: group >> bits))
      }
    }
    return padded <= 2 && bits < 6 ? bytes : nil
  }

  private static func value(_ letter: UInt8) -> Int? {
    switch letter {
    case 0x41...0x5A: Int(letter) - 0x41
    case 0x61...0x7A: Int(letter) - 0x61 + 26
    case 0x30...0x39: Int(letter) - 0x30 + 52
    case 0x2B: 62
    case 0x2F: 63
    default: nil
    }
  }
}
