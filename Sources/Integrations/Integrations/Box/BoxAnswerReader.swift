// Answers in the format `lines`, from the bytes of a session. A value; the integration's one thread. The box is trusted, and its lines
// are bounded all the same.

/// Takes bytes as they come, and gives answers as they are complete.
package struct BoxAnswerReader {
  /// The most bytes of an answer: more than the box ever sends.
  package static let limit = 128 * 1024

  private var line: [UInt8] = []
  private var taken = 0
  private var fields = BoxFields()
  private var rows: [BoxFields] = []
  /// Whether an event is being told, which nobody has asked for.
  private var isInEvent = false

  /// Nothing was read so far.
  package init() {}

  /// Whether an answer is longer than any answer can be.
  package var isTooLong: Bool { taken > Self.limit }

  /// Takes bytes, oldest first. Gives the answers that they complete.
  package mutating func take(_ bytes: [UInt8]) -> [BoxAnswer] {
    var answers: [BoxAnswer] = []
    for byte in bytes {
      taken += 1
      guard byte == 0x0A else {
        if taken <= Self.limit { line.append(byte) }
        continue
      }
      if let answer = end(line) { answers.append(answer) }
      line = []
    }
    return answers
  }

  private mutating func end(_ line: [UInt8]) -> BoxAnswer? {
    if line.starts(with: "* ".utf8) || line.elementsEqual("*".utf8) {
      isInEvent = line.count > 1
      if !isInEvent { reset() }
      return nil
    }
    if line.starts(with: "  ".utf8) {
      guard !isInEvent, let field = Self.field(line.dropFirst(2)) else { return nil }
      if rows.isEmpty { fields.add(field) } else { rows[rows.count - 1].add(field) }
      return nil
    }
    if line.starts(with: "- ".utf8) {
      guard let field = Self.field(line.dropFirst(2)) else { return nil }
      var row = BoxFields()
      row.add(field)
      rows.append(row)
      return nil
    }
    defer { reset() }
    if line.starts(with: "error: ".utf8) {
      return .refused(String(decoding: Self.whole(line.dropFirst(7)), as: UTF8.self))
    }
    return line.starts(with: "ok".utf8) ? .done(fields, rows: rows) : nil
  }

  private mutating func reset() {
    taken = 0
    fields = BoxFields()
    rows = []
  }

  private static func field(_ text: ArraySlice<UInt8>) -> BoxField? {
    guard let colon = text.firstIndex(of: 0x3A), text.indices.contains(colon + 1), text[colon + 1] == 0x20
    else { return nil }
    return BoxField(
      name: String(decoding: text[..<colon], as: UTF8.self),
      value: String(decoding: whole(text[(colon + 2)...]), as: UTF8.self))
  }

  /// The bytes that `\xNN` stands for, and all others as they are.
  private static func whole(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var i = text.startIndex
    while i < text.endIndex {
      if text[i] == 0x5C, i + 3 < text.endIndex, text[i + 1] == 0x78, let high = digit(text[i + 2]),
        let low = digit(text[i + 3])
      {
        bytes.append(high << 4 | low)
        i += 4
      } else {
        bytes.append(text[i])
        i += 1
      }
    }
    return bytes
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }
}
