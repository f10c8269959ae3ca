// Names characters that look like blanks or quotation marks and are neither. Pure; any thread.

/// Characters that editors and web pages put in place of plain ones.
enum LookalikeCharacter {
  /// An error that names such a character in the word that an error refers to; nil if the word has none.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - words: The line's words.
  static func error(_ error: ConsoleError, in words: [Word]) -> ConsoleError? {
    guard let column = error.column, error.kind != .malformed,
      let word = words.first(where: { $0.column == column })
    else { return nil }
    for scalar in word.text.unicodeScalars {
      guard let advice = advice(scalar.value) else { continue }
      return ConsoleError(
        error.kind, "the word at column " + String(column) + " contains " + advice, column: column)
    }
    return nil
  }

  private static func advice(_ scalar: UInt32) -> String? {
    switch scalar {
    case 0xA0, 0x202F: "a non-breaking blank; type a plain blank in its place"
    case 0x2000...0x200A, 0x205F, 0x3000: "a blank that is not a plain one; type a plain blank in its place"
    case 0x200B, 0x2060, 0xFEFF: "a character that cannot be seen; delete the word, and type it anew"
    case 0xAB, 0xBB, 0x2018...0x201F, 0x2039, 0x203A:
      "a typographic quotation mark; type a plain one (\"), or leave it out"
    default: nil
    }
  }
}
