// Formats answers and events as one field per line, for programs without a JSON parser. Pure; control thread.
// A field is `  name: value`, the first field of a row `- name: value`; an event begins with `* SUBJECT` and
// ends with `*`. An answer ends as in text format. In values, backslashes and control characters are escaped
// as `\xNN`, so that a line is always exactly one field.

extension Reply {
  /// The most bytes of a value in this format; enough for any path.
  static let maxWhole = 8192
}

/// Writes fields, one per line.
struct FieldLines {
  /// Bytes of an answer reserved for everything except rows.
  private static let reserve = 24 * 1024

  private let lineEnd: LineEnd
  private(set) var bytes: [UInt8] = []

  private init(_ lineEnd: LineEnd) { self.lineEnd = lineEnd }

  static func rendered(_ reply: Reply, _ lineEnd: LineEnd) -> [UInt8] {
    var writer = FieldLines(lineEnd)
    switch reply {
    case .ok(let answer):
      var rows = FieldLines(lineEnd)
      var leftOff = 0
      for (i, row) in answer.rows.enumerated() {
        var next = FieldLines(lineEnd)
        next.row(row.fields.isEmpty ? [Field("text", row.text)] : row.fields)
        guard rows.bytes.count + next.bytes.count <= Reply.maxLength - reserve else {
          leftOff = answer.rows.count - i
          break
        }
        rows.bytes += next.bytes
      }
      for field in answer.fields { writer.field("  ", field) }
      if leftOff > 0 { writer.field("  ", Field("left-off", leftOff)) }
      writer.bytes += rows.bytes
      writer.line(answer.message.utf8.isEmpty ? "ok" : "ok " + answer.message)
    case .error(let error):
      writer.field("  ", Field("kind", error.kind.name))
      if let column = error.column { writer.field("  ", Field("column", column)) }
      writer.line("error: " + error.sentence)
    }
    return writer.bytes
  }

  static func rendered(_ notice: Notice, _ lineEnd: LineEnd) -> [UInt8] {
    var writer = FieldLines(lineEnd)
    writer.line("* " + notice.event)
    let fields = notice.fields.isEmpty ? [Field("text", notice.text)] : notice.fields
    for field in fields { writer.field("  ", field) }
    writer.line("*")
    return writer.bytes
  }

  private mutating func row(_ fields: [Field]) {
    var mark = "- "
    for field in fields where field.value != .none && field.value != .list([]) {
      self.field(mark, field)
      mark = "  "
    }
  }

  private mutating func field(_ mark: String, _ field: Field) {
    // Unknown values are omitted.
    guard field.value != .none else { return }
    if case .list(let texts) = field.value {
      for (index, text) in texts.enumerated() { line((index == 0 ? mark : "  ") + field.name + ": ", text) }
      return
    }
    line(mark + field.name + ": ", field.value.shown)
  }

  private mutating func line(_ mark: String, _ text: String = "") {
    bytes += Array(mark.utf8)
    let start = bytes.count
    let all = Array(text.utf8)
    // Escape the second byte of C1 controls such as U+009B, too: terminals obey them.
    var escapesNext = false
    for (index, byte) in all.enumerated() {
      // Cut long values at a character boundary.
      if bytes.count - start >= Reply.maxWhole, byte & 0xC0 != 0x80 { break }
      let isControl = UTF8Check.isControl(all, at: index)
      if isControl || escapesNext || byte == 0x5C {
        bytes += Array("\\x".utf8) + [Self.digit(byte >> 4), Self.digit(byte & 15)]
      } else {
        bytes.append(byte)
      }
      escapesNext = isControl && byte == 0xC2
    }
    bytes += lineEnd.bytes
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }
}
