// Texts of ID3v2 frames (id3.org, ID3v2.4 section 4). Pure.

/// Decodes the content of text frames.
package enum ID3Text {
  /// Decodes the texts of a frame to UTF-8. The first byte is the encoding; texts are separated by NUL.
  ///
  /// - Parameters:
  ///   - body: Content of a text frame.
  ///   - limit: Maximum number of texts.
  package static func values(_ body: UnsafeBufferPointer<UInt8>, atMost limit: Int = 2) -> [[UInt8]] {
    guard let encoding = body.first else { return [] }
    let text = UnsafeBufferPointer(rebasing: body[1...])
    var whole: [UInt8]
    switch encoding {
    // Some taggers write UTF-8 where they state Latin-1. Well-formed UTF-8 is hardly ever meant otherwise.
    case 0: whole = TextEncoding.isUTF8(text) ? Array(text) : TextEncoding.utf8(fromLatin1: text)
    case 1, 2:
      // Each text begins with a byte order mark. The first selects the byte order; later ones decode to U+FEFF,
      // removed below.
      whole = TextEncoding.utf8(fromUTF16: text, bigEndian: encoding == 2)
    default: whole = Array(text)
    }
    whole.append(0)
    var parts: [[UInt8]] = []
    var part: [UInt8] = []
    for byte in whole {
      if byte != 0 {
        part.append(byte)
        continue
      }
      if part.count >= 3, part[0] == 0xEF, part[1] == 0xBB, part[2] == 0xBF { part.removeFirst(3) }
      parts.append(part)
      if parts.count == limit { break }
      part = []
    }
    return parts
  }
}
