// References to characters in markup, such as `&amp;` and `&#xE4;`. Pure; runs in the sandboxed worker only.

import Platform

/// Numeric references to characters, and the five named ones that XML predefines.
enum CharacterReference {
  /// Maximum length of a reference in bytes, without its ampersand.
  private static let maxLength = 10

  /// Replaces references by their characters. Other ampersands stay.
  static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.first {
      rest = rest.dropFirst()
      if byte == 0x26, let found = scalar(rest) {
        bytes += Array(String(Character(found.scalar)).utf8)
        rest = rest.dropFirst(found.length)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }

  /// Escapes ampersands that do not begin a reference, outside CDATA sections.
  ///
  /// - Parameter text: Malformed XML, such as `<location>http://a/?b=1&c=2</location>`.
  /// - Returns: The text with `&amp;` in their place; nil if there are none.
  static func escaped(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count + text.count / 16)
    var isChanged = false
    var rest = text
    while let place = rest.firstIndex(where: { $0 == 0x26 || $0 == 0x3C }) {
      bytes += rest[..<place]
      rest = rest[place...]
      if rest.first == 0x3C {
        let end = rest.starts(with: "<![CDATA[") ? rest.index(of: "]]>") ?? rest.endIndex : place + 1
        bytes += rest[..<end]
        rest = rest[end...]
      } else {
        rest = rest.dropFirst()
        let isReference = scalar(rest) != nil
        bytes += Array((isReference ? "&" : "&amp;").utf8)
        if !isReference { isChanged = true }
      }
    }
    return isChanged ? bytes + rest : nil
  }

  /// The character of the reference at the beginning of a text, behind the ampersand; nil if there is none.
  ///
  /// - Returns: The character, and the length of the reference with its semicolon.
  private static func scalar(_ text: ArraySlice<UInt8>) -> (scalar: Unicode.Scalar, length: Int)? {
    guard let end = text.prefix(maxLength).firstIndex(of: 0x3B) else { return nil }
    let name = text[..<end]
    guard let scalar = name.first == 0x23 ? numbered(name.dropFirst()) : named(name) else { return nil }
    return (scalar, name.count + 1)
  }

  private static func named(_ name: ArraySlice<UInt8>) -> Unicode.Scalar? {
    let names: [(StaticString, Unicode.Scalar)] = [
      ("amp", "&"), ("lt", "<"), ("gt", ">"), ("quot", "\""), ("apos", "'"),
    ]
    return names.first { name.count == $0.0.utf8CodeUnitCount && name.starts(with: $0.0) }?.1
  }

  /// Parses decimal digits, or `x` and hexadecimal ones.
  ///
  /// - Returns: Nil for a number that XML 1.0 (section 2.2) does not allow as a character, such as 0.
  private static func numbered(_ digits: ArraySlice<UInt8>) -> Unicode.Scalar? {
    let isHexadecimal = digits.first == 0x78
    let digits = isHexadecimal ? digits.dropFirst() : digits
    guard !digits.isEmpty else { return nil }
    var number: UInt32 = 0
    for byte in digits {
      guard let value = byte.hexadecimalValue, isHexadecimal || value < 10, number < 0x110000 else {
        return nil
      }
      number = number * (isHexadecimal ? 16 : 10) + UInt32(value)
    }
    switch number {
    case 0x09, 0x0A, 0x0D, 0x20...0xFFFD, 0x10000...0x10FFFF: return Unicode.Scalar(number)
    default: return nil
    }
  }
}

extension ArraySlice where Element == UInt8 {
  /// Whether the bytes begin with an ASCII word.
  func starts(with word: StaticString) -> Bool {
    starts(with: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
  }

  /// The index of the first occurrence of an ASCII word; nil if there is none.
  func index(of word: StaticString) -> Int? {
    var rest = self
    while let place = rest.firstIndex(of: word.utf8Start[0]) {
      if rest[place...].starts(with: word) { return place }
      rest = rest[(place + 1)...]
    }
    return nil
  }
}
