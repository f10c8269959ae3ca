// Text helpers for codecs: decoding to UTF-8, and copying into the ABI's fixed fields. Removes control
// characters, so that a tag cannot send terminal commands. Pure functions; worker process only.

import MediaFormats

/// Borrowed bytes of a media file.
public typealias Bytes = UnsafeBufferPointer<UInt8>

/// Wraps the bytes of a C caller; empty if the pointer is NULL.
public func borrowed(_ bytes: UnsafePointer<UInt8>?, _ size: Int) -> Bytes {
  Bytes(start: bytes, count: bytes == nil ? 0 : max(0, size))
}

/// Whether all of `bytes` is well-formed UTF-8.
public func isUTF8(_ bytes: Bytes) -> Bool { TextEncoding.isUTF8(bytes) }

/// Copies text into a NUL-terminated field. Trims it, cuts it at a character, and replaces control characters
/// with spaces and malformed bytes with U+FFFD.
func copyText(_ source: Bytes, to field: UnsafeMutableRawBufferPointer) {
  guard field.count > 0 else { return }
  let capacity = field.count - 1
  var start = 0
  var end = source.count
  while start < end, source[start] <= 0x20 { start += 1 }
  while end > start, source[end - 1] <= 0x20 { end -= 1 }
  let text = Bytes(rebasing: source[start..<end])
  var written = 0
  var index = 0
  while index < text.count {
    let length = TextEncoding.sequenceLength(text, at: index)
    let byte = text[index]
    if length == 0 {
      guard written + 3 <= capacity else { break }
      field[written] = 0xEF
      field[written + 1] = 0xBF
      field[written + 2] = 0xBD
      written += 3
      index += 1
      continue
    }
    let isControl = byte < 0x20 || byte == 0x7F || (byte == 0xC2 && length == 2 && text[index + 1] < 0xA0)
    guard written + (isControl ? 1 : length) <= capacity else { break }
    if isControl {
      field[written] = 0x20
      written += 1
    } else {
      for offset in 0..<length { field[written + offset] = text[index + offset] }
      written += length
    }
    index += length
  }
  field[written] = 0
}

/// Copies an error text into a C buffer, cut to its size. An empty buffer is left unchanged.
func copySentence(_ sentence: Phrase, to buffer: UnsafeMutableBufferPointer<CChar>) {
  sentence.bytes.withUnsafeBufferPointer { copyText($0, to: UnsafeMutableRawBufferPointer(buffer)) }
}

/// Converts ISO 8859-1 to UTF-8.
public func utf8(fromLatin1 bytes: Bytes) -> [UInt8] { TextEncoding.utf8(fromLatin1: bytes) }

/// Converts UTF-16 to UTF-8. Lone surrogates become U+FFFD.
///
/// - Parameters:
///   - bytes: UTF-16 text. A leading byte order mark overrides `bigEndian`.
///   - bigEndian: Byte order without a mark.
public func utf8(fromUTF16 bytes: Bytes, bigEndian: Bool) -> [UInt8] {
  TextEncoding.utf8(fromUTF16: bytes, bigEndian: bigEndian)
}

/// Whether `bytes` equal `name`, ignoring the case of ASCII letters.
public func matches(_ bytes: Bytes, _ name: StaticString) -> Bool {
  guard bytes.count == name.utf8CodeUnitCount else { return false }
  for index in 0..<bytes.count {
    let byte = bytes[index]
    let folded = byte >= 0x61 && byte <= 0x7A ? byte - 0x20 : byte
    let wanted = name.utf8Start[index]
    guard folded == (wanted >= 0x61 && wanted <= 0x7A ? wanted - 0x20 : wanted) else { return false }
  }
  return true
}

/// Whether `bytes` contain `magic` at `offset`. False if they are too short.
public func hasMagic(_ bytes: Bytes, _ magic: StaticString, at offset: Int = 0) -> Bool {
  guard offset >= 0, bytes.count - offset >= magic.utf8CodeUnitCount else { return false }
  for index in 0..<magic.utf8CodeUnitCount where bytes[offset + index] != magic.utf8Start[index] {
    return false
  }
  return true
}

/// Parses the decimal number at the start of `bytes`, independent of the locale. Skips leading blanks and
/// ignores trailing text.
func decimalPrefix(_ bytes: Bytes) -> Float? {
  var index = 0
  while index < bytes.count, bytes[index] == 0x20 || bytes[index] == 0x09 { index += 1 }
  var isNegative = false
  if index < bytes.count, bytes[index] == 0x2D || bytes[index] == 0x2B {
    isNegative = bytes[index] == 0x2D
    index += 1
  }
  var digits = 0
  var value = 0.0
  var scale = 1.0
  var isFraction = false
  while index < bytes.count, digits < 18 {
    let byte = bytes[index]
    if byte >= 0x30 && byte <= 0x39 {
      value = value * 10 + Double(byte - 0x30)
      if isFraction { scale *= 10 }
      digits += 1
    } else if byte == 0x2E, !isFraction {
      isFraction = true
    } else {
      break
    }
    index += 1
  }
  guard digits > 0 else { return nil }
  let magnitude = Float(value / scale)
  return isNegative ? -magnitude : magnitude
}
