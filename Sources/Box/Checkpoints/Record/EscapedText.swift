// Percent-encoding of names and paths in the text files of the box's state: one line of ASCII. Pure; any
// thread.

/// Text with control characters, `%` and non-ASCII bytes written as `%XX`.
enum EscapedText {
  /// Appends the encoded text.
  static func write(_ text: String, to bytes: inout [UInt8]) {
    for byte in text.utf8 {
      if byte < 0x20 || byte >= 0x7F || byte == 0x25 {
        bytes.append(0x25)
        bytes.append(digit(byte >> 4))
        bytes.append(digit(byte & 15))
      } else {
        bytes.append(byte)
      }
    }
  }

  /// Decodes text; nil for invalid encoding or UTF-8, for more than `longest` bytes, or for a zero byte.
  static func read(_ bytes: ArraySlice<UInt8>, longest: Int) -> String? {
    var plain: [UInt8] = []
    var i = bytes.startIndex
    while i < bytes.endIndex {
      if bytes[i] == 0x25 {
        guard i + 2 < bytes.endIndex, let high = value(bytes[i + 1]), let low = value(bytes[i + 2]) else {
          return nil
        }
        plain.append(high << 4 | low)
        i += 3
      } else {
        guard bytes[i] >= 0x20, bytes[i] < 0x7F else { return nil }
        plain.append(bytes[i])
        i += 1
      }
    }
    let text = String(decoding: plain, as: UTF8.self)
    guard plain.count <= longest, !plain.contains(0), Array(text.utf8) == plain else { return nil }
    return text
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x41 + value - 10 }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x41 + 10
    default: nil
    }
  }
}
