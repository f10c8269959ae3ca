// Strict UTF-8 validation (RFC 3629), so that line noise on a serial console cannot become file names. Pure;
// any thread.

enum UTF8Check {
  /// The length in bytes of the well-formed scalar at `start`; nil for overlong forms, surrogates, values
  /// above U+10FFFF and incomplete sequences.
  static func scalarLength(_ bytes: [UInt8], at start: Int) -> Int? {
    let first = bytes[start]
    if first < 0x80 { return 1 }
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch first {
    case 0xC2...0xDF: length = 2
    case 0xE0:
      length = 3
      second = 0xA0...0xBF
    case 0xED:
      length = 3
      second = 0x80...0x9F
    case 0xE1...0xEF: length = 3
    case 0xF0:
      length = 4
      second = 0x90...0xBF
    case 0xF1...0xF3: length = 4
    case 0xF4:
      length = 4
      second = 0x80...0x8F
    default: return nil
    }
    guard bytes.count - start >= length, second.contains(bytes[start + 1]) else { return nil }
    for i in (start + 2)..<max(start + 2, start + length) where bytes[i] & 0xC0 != 0x80 { return nil }
    return length
  }

  /// Whether the scalar at `start` is a control character: C0, DEL, or C1 (U+0080…U+009F), which terminals
  /// may treat as the start of an escape sequence.
  static func isControl(_ bytes: [UInt8], at start: Int) -> Bool {
    let first = bytes[start]
    if first < 0x20 || first == 0x7F { return true }
    return first == 0xC2 && start + 1 < bytes.count && bytes[start + 1] < 0xA0
  }
}
