// Encodings of texts in tags. Pure.

/// Decodes texts to UTF-8.
package enum TextEncoding {
  /// The encoded text.
  package typealias Bytes = UnsafeBufferPointer<UInt8>

  /// Length in bytes of the well-formed UTF-8 sequence (RFC 3629) at `index`; 0 if it is malformed.
  package static func sequenceLength(_ bytes: Bytes, at index: Int) -> Int {
    let first = bytes[index]
    if first < 0x80 { return 1 }
    let count: Int
    var lowest: UInt8 = 0x80
    var highest: UInt8 = 0xBF
    switch first {
    case 0xC2...0xDF: count = 2
    case 0xE0...0xEF:
      count = 3
      if first == 0xE0 { lowest = 0xA0 }
      if first == 0xED { highest = 0x9F }
    case 0xF0...0xF4:
      count = 4
      if first == 0xF0 { lowest = 0x90 }
      if first == 0xF4 { highest = 0x8F }
    default: return 0
    }
    guard bytes.count - index >= count else { return 0 }
    guard bytes[index + 1] >= lowest, bytes[index + 1] <= highest else { return 0 }
    for offset in 2..<max(count, 2) where bytes[index + offset] & 0xC0 != 0x80 { return 0 }
    return count
  }

  /// Whether all of `bytes` is well-formed UTF-8.
  package static func isUTF8(_ bytes: Bytes) -> Bool {
    var index = 0
    while index < bytes.count {
      let length = sequenceLength(bytes, at: index)
      if length == 0 { return false }
      index += length
    }
    return true
  }

  /// Converts ISO 8859-1 to UTF-8.
  package static func utf8(fromLatin1 bytes: Bytes) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 2)
    for byte in bytes { append(UInt32(byte), to: &text) }
    return text
  }

  /// Converts UTF-16 to UTF-8. Lone surrogates become U+FFFD.
  ///
  /// - Parameters:
  ///   - bytes: UTF-16 text. A leading byte order mark overrides `bigEndian`.
  ///   - bigEndian: Byte order without a mark.
  package static func utf8(fromUTF16 bytes: Bytes, bigEndian: Bool) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 3 / 2)
    var isBig = bigEndian
    var index = 0
    var pendingHigh: UInt32?
    while index + 1 < bytes.count {
      let first = UInt32(bytes[index])
      let second = UInt32(bytes[index + 1])
      index += 2
      if index == 2, first == 0xFF, second == 0xFE {
        isBig = false
        continue
      }
      if index == 2, first == 0xFE, second == 0xFF {
        isBig = true
        continue
      }
      let unit = isBig ? first << 8 | second : second << 8 | first
      if let high = pendingHigh {
        pendingHigh = nil
        if unit & 0xFC00 == 0xDC00 {
          append(0x10000 + ((high & 0x3FF) << 10 | unit & 0x3FF), to: &text)
          continue
        }
        append(0xFFFD, to: &text)
      }
      switch unit & 0xFC00 {
      case 0xD800: pendingHigh = unit
      case 0xDC00: append(0xFFFD, to: &text)
      default: append(unit, to: &text)
      }
    }
    if pendingHigh != nil { append(0xFFFD, to: &text) }
    return text
  }

  private static func append(_ scalar: UInt32, to text: inout [UInt8]) {
    switch scalar {
    case 0..<0x80: text.append(UInt8(scalar))
    case 0x80..<0x800:
      text.append(UInt8(0xC0 | scalar >> 6))
      text.append(UInt8(0x80 | scalar & 0x3F))
    case 0x800..<0x10000:
      text.append(UInt8(0xE0 | scalar >> 12))
      text.append(UInt8(0x80 | scalar >> 6 & 0x3F))
      text.append(UInt8(0x80 | scalar & 0x3F))
    default:
      text.append(UInt8(0xF0 | scalar >> 18))
      text.append(UInt8(0x80 | scalar >> 12 & 0x3F))
      text.append(UInt8(0x80 | scalar >> 6 & 0x3F))
      text.append(UInt8(0x80 | scalar & 0x3F))
    }
  }
}
