// Case folding of text and comparison of file names, without Unicode tables. Pure; any thread.

/// Case folding and comparison of names.
package enum TextFolding {
  /// Converts a text to lower case: Latin, Greek and Cyrillic only. Bytes of a path that are not UTF-8 are
  /// taken as Latin-1.
  package static func folded(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      scalars.append(Unicode.Scalar(small(byte(scalar) ?? scalar.value)) ?? scalar)
    }
    return String(scalars)
  }

  /// Whether two names differ only in case or in the encoding of accents: macOS stores `ö` as `o` and a
  /// combining accent (UAX #15, NFD), other systems as one scalar. Bytes that are not UTF-8 match their
  /// Latin-1 letter or the replacement character (U+FFFD) that terminals show.
  package static func areAlike(_ a: String, _ b: String) -> Bool {
    // String equality in Swift is canonical equivalence.
    a == b || folded(a) == folded(b) || isShown(a) != isShown(b) && shown(a) == shown(b)
  }

  /// The folded name with the replacement character for each byte that is not UTF-8.
  private static func shown(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { scalars.append(byte(scalar) == nil ? scalar : replacement) }
    return folded(String(scalars))
  }

  /// Whether a name contains the replacement character, typed as a terminal shows it.
  package static func isShown(_ text: String) -> Bool { text.unicodeScalars.contains(replacement) }

  private static var replacement: Unicode.Scalar { "\u{FFFD}" }

  /// The byte that a character of a path encodes (see `String(pathBytes:)`); nil for an ordinary character.
  private static func byte(_ scalar: Unicode.Scalar) -> UInt32? {
    (0xEF80...0xEFFF).contains(scalar.value) ? scalar.value - 0xEF00 : nil
  }

  /// The lower-case letter of a capital, by the simple mappings in UnicodeData.txt for these blocks;
  /// unchanged otherwise.
  private static func small(_ scalar: UInt32) -> UInt32 {
    switch scalar {
    case 0x41...0x5A, 0xC0...0xD6, 0xD8...0xDE, 0x391...0x3A1, 0x3A3...0x3AB, 0x410...0x42F: scalar + 32
    case 0x400...0x40F: scalar + 80
    // Latin Extended-A and the Cyrillic extensions alternate capitals and small letters.
    case 0x130: 0x69
    case 0x100...0x137, 0x14A...0x177, 0x460...0x481, 0x48A...0x4BF, 0x1E00...0x1E95, 0x1EA0...0x1EFF:
      scalar | 1
    case 0x139...0x148, 0x179...0x17E: scalar + (scalar & 1)
    case 0x178: 0xFF
    case 0x386: 0x3AC
    case 0x388...0x38A: scalar + 37
    case 0x38C: 0x3CC
    case 0x38E, 0x38F: scalar + 63
    default: scalar
    }
  }
}
