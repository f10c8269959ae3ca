// Decodes a card's configuration file as editors on Windows, macOS and Linux save it. Pure; any thread.

/// The decoded lines of a card's configuration file.
package struct CardText: Hashable, Sendable {
  /// The lines without line ends and without surrounding blanks.
  package let lines: [[UInt8]]

  /// Decodes a file: UTF-8 with or without a byte-order mark, or UTF-16 with one; lines end in LF or CRLF, or all
  /// of them in CR.
  ///
  /// - Throws: `malformed` if the file is too long or not plain text.
  package init(_ file: [UInt8]) throws(ConsoleError) {
    let text = try Self.utf8(file)
    guard text.count <= Configuration.maxFileBytes else { throw Self.tooLong }
    guard !text.contains(where: { Self.isBinary($0) }), !text.starts(with: Array("{\\rtf".utf8)) else {
      throw Self.notText
    }
    let end: UInt8 = text.contains(0x0A) ? 0x0A : 0x0D
    var lines = text.split(separator: end, omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    guard lines.count <= Configuration.maxLines else {
      throw ConsoleError(
        .malformed, "the file has more than " + String(Configuration.maxLines) + " lines; shorten it")
    }
    self.lines = lines.map { Self.trimmed($0) }
  }

  /// Whether a file contains only whitespace or a byte-order mark.
  package static func isBlank(_ file: [UInt8]) -> Bool {
    file.allSatisfy { isBlank($0) || $0 == 0x0A } || file == [0xEF, 0xBB, 0xBF]
  }

  /// Removes surrounding blanks from a line.
  static func trimmed(_ line: some BidirectionalCollection<UInt8>) -> [UInt8] {
    Array(line.drop { isBlank($0) }.reversed().drop { isBlank($0) }.reversed())
  }

  /// Whether a byte is a space, a tab or a carriage return.
  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

  /// Whether a byte is a control character that does not occur in text files.
  private static func isBinary(_ byte: UInt8) -> Bool { byte < 0x20 && byte != 0x0A && !isBlank(byte) }

  private static let tooLong = ConsoleError(
    .malformed, "the file has more than " + String(Configuration.maxFileBytes / 1024) + " KiB; shorten it")

  private static let notText = ConsoleError(
    .malformed,
    "the file is not plain text; write it with a text editor, such as Notepad, and save it as UTF-8, not as a document"
  )

  private static func utf8(_ file: [UInt8]) throws(ConsoleError) -> [UInt8] {
    guard file.count <= Configuration.maxFileBytes else { throw tooLong }
    if file.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(file.dropFirst(3)) }
    let isLittle = file.starts(with: [0xFF, 0xFE])
    guard isLittle || file.starts(with: [0xFE, 0xFF]) else { return file }
    guard let text = utf8(utf16: file.dropFirst(2), isLittle: isLittle) else { throw notText }
    return text
  }

  /// Converts UTF-16 to UTF-8; nil for an odd number of bytes or an unpaired surrogate.
  private static func utf8(utf16 bytes: ArraySlice<UInt8>, isLittle: Bool) -> [UInt8]? {
    guard bytes.count % 2 == 0 else { return nil }
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    var high: UInt32?
    for index in stride(from: bytes.startIndex, to: bytes.endIndex, by: 2) {
      let (first, second) = (UInt32(bytes[index]), UInt32(bytes[index + 1]))
      let unit = isLittle ? first | second << 8 : first << 8 | second
      let scalar: UInt32
      switch (unit, high) {
      case (0xD800...0xDBFF, nil):
        high = unit
        continue
      case (0xDC00...0xDFFF, let former?): scalar = 0x10000 + (former - 0xD800) << 10 + (unit - 0xDC00)
      case (0xD800...0xDFFF, _), (_, .some): return nil
      default: scalar = unit
      }
      high = nil
      guard let scalar = Unicode.Scalar(scalar) else { return nil }
      text += Array(String(Character(scalar)).utf8)
    }
    return high == nil ? text : nil
  }
}
