// Converts playlists and cue sheets in UTF-16 and old 8-bit encodings to UTF-8. Runs in the sandboxed worker only; its
// converters are created before the sandbox closes, because iconv(3) loads them from files.

import CLinux
import Platform

/// The encodings of text that is not Unicode. The file does not name its encoding, so it is guessed from the bytes.
enum LegacyEncoding: CaseIterable {
  /// Japanese, as Windows writes it.
  case shiftJIS
  /// Cyrillic, as Windows writes it.
  case windows1251
  /// Western European, as Windows writes it; includes the printable characters of Latin-1.
  case windows1252

  /// The name of the encoding for iconv_open(3).
  fileprivate var name: String {
    switch self {
    case .shiftJIS: "CP932"
    case .windows1251: "CP1251"
    case .windows1252: "CP1252"
    }
  }

  /// The most likely encoding of text that is not UTF-8.
  ///
  /// - Parameter bytes: Lines of the text; ASCII bytes between them do not matter.
  static func guess(_ bytes: some Sequence<UInt8>) -> LegacyEncoding {
    isCyrillic(bytes) ? .windows1251 : isShiftJIS(bytes) ? .shiftJIS : .windows1252
  }

  /// Cyrillic words are sequences of bytes from 0xC0; in Western text such bytes are mostly single.
  private static func isCyrillic(_ bytes: some Sequence<UInt8>) -> Bool {
    var (letters, words) = (0, 0)
    var isInWord = false
    for byte in bytes {
      // Two letters are outside the range: capital and small io.
      let isLetter = byte >= 0xC0 || isInWord && (byte == 0xA8 || byte == 0xB8)
      if isLetter { letters += 1 }
      if isLetter, !isInWord { words += 1 }
      isInWord = isLetter
    }
    return letters >= 3 && letters * 2 >= words * 5
  }

  /// Whether all bytes form characters of Shift-JIS, and some of these are common in Japanese.
  private static func isShiftJIS(_ bytes: some Sequence<UInt8>) -> Bool {
    var lead: UInt8?
    var (kana, kanji) = (0, 0)
    for byte in bytes {
      if let first = lead {
        guard byte >= 0x40, byte != 0x7F, byte <= 0xFC else { return false }
        if first == 0x82 && byte >= 0x9F || first == 0x83 && byte <= 0x96 { kana += 1 }
        if (0x88...0x9F).contains(first), byte >= 0x80 { kanji += 1 }
        lead = nil
      } else {
        switch byte {
        case 0x81...0x9F, 0xE0...0xFC: lead = byte
        case 0..<0x80, 0xA1...0xDF: break
        default: return false
        }
      }
    }
    return lead == nil && (kana > 0 || kanji >= 2)
  }
}

/// Converters of playlist text.
final class PlaylistText {
  private var converters: [(encoding: LegacyEncoding, iconv: UnsafeMutableRawPointer)] = []

  /// Opens the converters. Text in an encoding without a converter counts as Latin-1.
  ///
  /// - Parameter encodings: The encodings to convert.
  init(_ encodings: [LegacyEncoding]) {
    for encoding in encodings {
      if let iconv = clinux_iconv_open(encoding.name) { converters.append((encoding, iconv)) }
    }
  }

  deinit {
    for converter in converters { clinux_iconv_close(converter.iconv) }
  }

  /// The text in valid UTF-8, perhaps with a byte order mark. Lines that are UTF-8 stay unchanged; lines that cannot be
  /// converted count as Latin-1.
  ///
  /// - Parameter bytes: The content of a playlist, perhaps with an incomplete character at its end.
  func utf8(_ bytes: [UInt8]) -> [UInt8] {
    if let text = Self.decodedUTF16(bytes) { return text }
    guard String(validating: bytes, as: UTF8.self) == nil else { return bytes }
    let lines = bytes.split(omittingEmptySubsequences: false) { $0 == 0x0A || $0 == 0x0D }.map {
      (bytes: $0, isLegacy: String(validating: $0, as: UTF8.self) == nil)
    }
    let legacy = lines.filter { $0.isLegacy }.map { $0.bytes }
    let encoding = LegacyEncoding.guess(legacy.joined(separator: [0x0A]))
    let iconv = converters.first { $0.encoding == encoding }?.iconv
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 3 / 2)
    for line in lines {
      if line.isLegacy {
        text += iconv.flatMap { Self.convert(line.bytes, $0) } ?? Self.decodedLatin1(line.bytes)
      } else {
        text += line.bytes
      }
      text.append(0x0A)
    }
    return text
  }

  /// Text in UTF-16 with a byte order mark, or beginning with two ASCII characters; nil for other text.
  private static func decodedUTF16(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count >= 4 else { return nil }
    let isBig: Bool
    switch (bytes[0], bytes[1], bytes[2], bytes[3]) {
    case (0xFF, 0xFE, _, _): isBig = false
    case (0xFE, 0xFF, _, _): isBig = true
    case (1..<0x80, 0, 1..<0x80, 0): isBig = false
    case (0, 1..<0x80, 0, 1..<0x80): isBig = true
    default: return nil
    }
    var units: [UInt16] = []
    units.reserveCapacity(bytes.count / 2)
    for index in stride(from: 0, to: bytes.count - 1, by: 2) {
      let (high, low) = isBig ? (bytes[index], bytes[index + 1]) : (bytes[index + 1], bytes[index])
      units.append(UInt16(high) << 8 | UInt16(low))
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }

  /// Each byte as the character of that number.
  private static func decodedLatin1(_ line: ArraySlice<UInt8>) -> [UInt8] {
    line.flatMap { $0 < 0x80 ? [$0] : [0xC0 | $0 >> 6, 0x80 | $0 & 0x3F] }
  }

  private static func convert(_ line: ArraySlice<UInt8>, _ iconv: UnsafeMutableRawPointer) -> [UInt8]? {
    // One byte of these encodings becomes three bytes at most.
    var text = [UInt8](repeating: 0, count: line.count * 3)
    let count = line.withUnsafeBufferPointer { source in
      text.withUnsafeMutableBufferPointer {
        clinux_iconv(iconv, source.baseAddress, source.count, $0.baseAddress, $0.count)
      }
    }
    guard count >= 0 else { return nil }
    text.removeLast(text.count - Int(count))
    return text
  }
}
