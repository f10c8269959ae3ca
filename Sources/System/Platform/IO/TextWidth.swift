// The width of text on a terminal, in columns. Pure; any thread.

extension Unicode.Scalar {
  /// The columns of a character: 0 for combining characters, 2 for East Asian scripts and emoji, 1 otherwise.
  /// If terminals differ, the larger number, because a line that is too short is harmless.
  package var columns: Int {
    if value < 0x300 { return 1 }
    for range in Self.overlaid where range.contains(value) { return 0 }
    for range in Self.wide where range.contains(value) { return 2 }
    return 1
  }

  private static let overlaid: [ClosedRange<UInt32>] = [
    0x300...0x36F, 0x483...0x489, 0x591...0x5BD, 0x610...0x61A, 0x64B...0x65F, 0x6D6...0x6DC, 0xE34...0xE3A,
    0xE47...0xE4E, 0x1160...0x11FF, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x200B...0x200F, 0x2060...0x2064,
    0x20D0...0x20FF, 0x3099...0x309A, 0xFE00...0xFE0F, 0xFE20...0xFE2F, 0xE0100...0xE01EF,
  ]

  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23F3, 0x25FD...0x25FE, 0x2600...0x27BF,
    0x2B1B...0x2B1C, 0x2B50...0x2B55, 0x2E80...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
    0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1B000...0x1B2FF,
    0x1F000...0x1F0FF, 0x1F18E...0x1F19A, 0x1F200...0x1F64F, 0x1F680...0x1F6FF, 0x1F7E0...0x1F7EB,
    0x1F900...0x1F9FF, 0x1FA70...0x1FAFF, 0x20000...0x3FFFD,
  ]
}

extension String {
  /// The number of columns of the text.
  package var columns: Int {
    var count = 0
    for scalar in unicodeScalars { count += scalar.columns }
    return count
  }

  /// The text cut to at most `room` columns, ending in an ellipsis if it was cut.
  package func cut(toColumns room: Int) -> String {
    guard columns > room else { return self }
    var result = String.UnicodeScalarView()
    var left = room - 1
    guard left >= 0 else { return "" }
    for scalar in unicodeScalars {
      left -= scalar.columns
      if left < 0 { break }
      result.append(scalar)
    }
    return String(result) + "…"
  }
}
