// Splits a command line into words. Pure; any thread.
// Grammar: words are separated by blanks and tabs; '…' and "…" quote; \ makes the next character literal,
// also in quotes; # at the beginning of a word starts a comment.

/// One word of a line, without its quotes and backslashes.
package struct Word: Hashable, Sendable {
  /// The word's text.
  package let text: String
  /// The character position in the line where the word begins, from 1.
  package let column: Int
  /// The bytes of the line that the word occupies, including quotes.
  package let bytes: Range<Int>
}

/// A command line split into words.
package struct CommandLineText: Hashable, Sendable {
  /// The most bytes of a line from a program, without its line end; media names and filters may be long.
  package static let maxLineLength = 16 * 1024
  /// The most bytes of a line typed at a terminal, which is redrawn with each key.
  package static let maxTypedBytes = 1024
  /// The most words in a line.
  package static let maxWords = 64

  /// The words; empty for a blank line or a comment.
  package let words: [Word]
  /// The lexical state at the end of the line.
  let ending: Ending

  enum Ending: Hashable, Sendable {
    case betweenWords
    case inWord
    /// Inside a quote that was opened by `mark` at `column`.
    case inQuote(mark: UInt8, column: Int)
    case afterBackslash(column: Int)
    case inComment
  }

  /// Splits a line, without its line end. One CR at the end is ignored.
  ///
  /// - Throws: `malformed`, with the column, for control bytes, invalid UTF-8, open quotes, or too many bytes
  ///   or words.
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

  /// Splits an unfinished line, in which a quote or a backslash may be open at the end.
  ///
  /// - Throws: `malformed`, as `init(_:)` does.
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

  /// Quotes a text where necessary, so that it is parsed as one word.
  package static func quoted(_ text: String) -> String {
    var isPlain = !text.utf8.isEmpty && text.utf8.first != 0x23
    // Quoting does not make control characters valid, but keeps trailing ones from being taken for the line
    // end.
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

  /// Whether a word can occur in a line. File names may contain line ends, and then text that would run as a
  /// command.
  package static func canHold(_ word: String) -> Bool {
    let bytes = Array(word.utf8)
    return bytes.indices.allSatisfy { bytes[$0] == 0x09 || !UTF8Check.isControl(bytes, at: $0) }
  }

  /// Joins words into a line that splits into the same words, if each of them can occur in a line.
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

/// The state of the word splitter between two characters.
private struct WordScanner {
  var words: [Word] = []
  var ending = CommandLineText.Ending.betweenWords

  private var text: [UInt8] = []
  private var start = 0
  private var column = 1
  /// The quote to return to after a backslash.
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
