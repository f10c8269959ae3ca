// Parses answers in the console's `lines` format from a session's bytes. The daemon is trusted, but lengths are
// bounded nevertheless. A value; the integration's single thread.

import Platform

/// Accepts bytes in pieces and returns completed answers.
package struct BoxAnswerReader {
  /// Maximum bytes of an answer, above what the daemon sends.
  package static let limit = 128 * 1024

  private var line: [UInt8] = []
  private var taken = 0
  private var fields = BoxFields()
  private var rows: [BoxFields] = []
  /// Whether the lines belong to an event instead of an answer.
  private var isInEvent = false

  /// A reader at the beginning of a session.
  package init() {}

  /// Whether the present answer exceeds the maximum length.
  package var isTooLong: Bool { taken > Self.limit }

  /// Appends bytes. Returns the answers completed by them.
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
      let sentence = String(decoding: Self.whole(line.dropFirst(7)), as: UTF8.self)
      return fields["kind"] == "outdated" ? .outdated(sentence) : .refused(sentence)
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

  /// Replaces `\xNN` escapes by their bytes.
  private static func whole(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var i = text.startIndex
    while i < text.endIndex {
      if text[i] == 0x5C, i + 3 < text.endIndex, text[i + 1] == 0x78, let high = text[i + 2].hexadecimalValue,
        let low = text[i + 3].hexadecimalValue
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
}
