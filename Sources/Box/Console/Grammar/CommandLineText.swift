// A line of bytes becomes words. Pure; any thread.
// Grammar: words stand between blanks and tabs; '…' and "…" keep blanks together; \ takes the meaning from the
// character that follows it, everywhere; # at the beginning of a word begins a comment.

/// One word of a line, its quotes and backslashes taken off.
package struct Word: Hashable, Sendable {
  /// The word.
  package let text: String
  /// The character of the line it begins at, from 1.
  package let column: Int
  /// The bytes of the line it was written with, quotes included.
  package let bytes: Range<Int>
}

/// A line taken apart into words.
package struct CommandLineText: Hashable, Sendable {
  /// Maximum bytes of a line that a program sends, without its end: names of media and filters may be long.
  package static let maxLineLength = 16 * 1024
  /// Maximum bytes of a line that is typed at a terminal, which is drawn again with each key.
  package static let maxTypedBytes = 1024
  /// The most words in a line.
  package static let maxWords = 64

  /// The words; none for a blank line or a comment.
  package let words: [Word]
  /// What is open where the line ends.
  let ending: Ending

  enum Ending: Hashable, Sendable {
    case betweenWords
    case inWord
    /// Inside of the quote `mark`, which began at `column`.
    case inQuote(mark: UInt8, column: Int)
    case afterBackslash(column: Int)
    case inComment
  }

  /// Takes a line apart, without its line end (one CR at the end is dropped). Throws `malformed`, with the
  /// column, for control bytes, broken UTF-8, open quotes, and more than the limits.
  package init(_ line: [UInt8]) throws(ConsoleError) {
    try self.init(unfinished: line)
    switch ending {
    case .betweenWords, .inWord, .inComment: break
    case .inQuote(let mark, let column):
      throw ConsoleError(
        .malformed,
        "the quote " + (mark == 0x22 ? "\"" : "'") + " at column " + String(column)
          + " is never closed; close it, or write \\ before it", column: column)
    case .afterBackslash(let column):
      throw ConsoleError(
        .malformed, "nothing follows the \\ at column " + String(column) + "; write \\\\ for a backslash",
        column: column)
    }
  }

  /// As `init(_:)`, for a line that is still being typed: what is open at its end is no error.
  init(unfinished line: [UInt8]) throws(ConsoleError) {
    var end = line.count
    if end > 0, line[end - 1] == 0x0D { end -= 1 }
    guard end <= Self.maxLineLength else {
      throw ConsoleError(
        .malformed,
        "the line has " + String(end) + " bytes; " + String(Self.maxLineLength) + " is the most", column: nil)
    }
    var scanner = WordScanner()
    var index = 0
    var column = 1
    while index < end {
      guard let length = UTF8Check.scalarLength(line, at: index), index + length <= end else {
        throw ConsoleError(
          .malformed,
          "the byte " + Self.hexadecimal(line[index]) + " at column " + String(column)
            + " is not UTF-8 text", column: column)
      }
      guard line[index] == 0x09 || !UTF8Check.isControl(line, at: index) else {
        throw ConsoleError(
          .malformed,
          "the control character " + Self.hexadecimal(line[index + length - 1]) + " at column "
            + String(column) + " cannot stand in a line", column: column)
      }
      scanner.take(line, index..<(index + length), column: column)
      if scanner.ending == .inComment { break }
      guard scanner.words.count <= Self.maxWords else {
        throw ConsoleError(
          .malformed, "the line has more than " + String(Self.maxWords) + " words", column: column)
      }
      index += length
      column += 1
    }
    let ending = scanner.ending
    scanner.endWord(at: end)
    guard scanner.words.count <= Self.maxWords else {
      throw ConsoleError(
        .malformed, "the line has more than " + String(Self.maxWords) + " words", column: column)
    }
    words = scanner.words
    self.ending = ending
  }

  /// `text` so that it is read as one word: in quotes where it must be.
  package static func quoted(_ text: String) -> String {
    var isPlain = !text.utf8.isEmpty && text.utf8.first != 0x23
    // A control character within quotes is refused; at a line's end it would be taken for a part of it.
    for byte in text.utf8 where byte <= 0x20 || byte == 0x22 || byte == 0x27 || byte == 0x5C || byte == 0x7F {
      isPlain = false
    }
    if isPlain { return text }
    var bytes: [UInt8] = [0x22]
    for byte in text.utf8 {
      if byte == 0x22 || byte == 0x5C { bytes.append(0x5C) }
      bytes.append(byte)
    }
    bytes.append(0x22)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether a line can hold `word`: a name in a file system may hold the end of a line, and what would be the next command.
  package static func canHold(_ word: String) -> Bool {
    let bytes = Array(word.utf8)
    return bytes.indices.allSatisfy { bytes[$0] == 0x09 || !UTF8Check.isControl(bytes, at: $0) }
  }

  /// Words as a line that is read as these words, where a line can hold them.
  package static func line(of words: [String]) -> String {
    var line = ""
    for word in words { line += (line.utf8.isEmpty ? "" : " ") + quoted(word) }
    return line
  }

  static func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return "0x" + (byte < 16 ? "0" : "") + digits
  }
}

/// The state between two characters of a line.
private struct WordScanner {
  var words: [Word] = []
  var ending = CommandLineText.Ending.betweenWords

  private var text: [UInt8] = []
  private var start = 0
  private var column = 1
  /// The quote to go back to after a backslash.
  private var quote: (mark: UInt8, column: Int)?

  mutating func take(_ line: [UInt8], _ range: Range<Int>, column: Int) {
    let byte = line[range.lowerBound]
    switch ending {
    case .inComment: break
    case .afterBackslash:
      text += line[range]
      ending = quote.map { .inQuote(mark: $0.mark, column: $0.column) } ?? .inWord
    case .inQuote(let mark, _):
      if byte == mark {
        quote = nil
        ending = .inWord
      } else if byte == 0x5C {
        ending = .afterBackslash(column: column)
      } else {
        text += line[range]
      }
    case .betweenWords, .inWord:
      if byte == 0x20 || byte == 0x09 {
        endWord(at: range.lowerBound)
        return
      }
      if ending == .betweenWords {
        if byte == 0x23 {
          ending = .inComment
          return
        }
        start = range.lowerBound
        self.column = column
        ending = .inWord
      }
      if byte == 0x22 || byte == 0x27 {
        quote = (byte, column)
        ending = .inQuote(mark: byte, column: column)
      } else if byte == 0x5C {
        ending = .afterBackslash(column: column)
      } else {
        text += line[range]
      }
    }
  }

  mutating func endWord(at end: Int) {
    guard ending != .betweenWords, ending != .inComment else { return }
    words.append(Word(text: String(decoding: text, as: UTF8.self), column: column, bytes: start..<end))
    text = []
    quote = nil
    ending = .betweenWords
  }
}
