// Formats answers and notices as text for users and as JSON (RFC 8259) for programs. Pure; control thread.
// Text: body lines are indented by two blanks, notices begin with `* `, and the last line of an answer begins
// with `ok` or `error:`. JSON: one object per line; answers have `ok`, notices have `event`. The format
// `lines` is in FieldLines.

import Platform

extension Reply {
  /// The most bytes of an answer. A longer list is truncated, with the number of omitted rows.
  package static let maxLength = 64 * 1024
  /// The most bytes of one value or line of text.
  static let maxTextLength = 2048

  /// Formats the reply as bytes to send, including line ends.
  ///
  /// - Parameters:
  ///   - format: The output format.
  ///   - lineEnd: LF, or CR LF on a serial line.
  package func rendered(_ format: ReplyFormat, lineEnd: LineEnd = .lineFeed) -> [UInt8] {
    switch format {
    case .text: text(lineEnd)
    case .json: json + lineEnd.bytes
    case .lines: FieldLines.rendered(self, lineEnd)
    }
  }

  private func text(_ lineEnd: LineEnd) -> [UInt8] {
    var writer = TextWriter(lineEnd: lineEnd)
    switch self {
    case .ok(let answer):
      let width = answer.fields.reduce(0) { max($0, min($1.name.utf8.count, 24)) }
      for field in answer.fields {
        let blanks = max(0, width - field.name.utf8.count) + 1
        let text = field.name + ":" + String(repeating: " ", count: blanks) + field.value.shown
        // Facts stay on one line; explanations are wrapped.
        let lines =
          answer.rows.contains { $0.hanging != nil } ? TextWriter.wrapped(text, hanging: width + 2) : [text]
        for line in lines { writer.line("  ", line) }
      }
      for (i, row) in answer.rows.enumerated() {
        guard writer.bytes.count + Self.maxTextLength * 2 < Self.maxLength else {
          writer.line("  ", "… " + String(answer.rows.count - i) + " more")
          break
        }
        if let hanging = row.hanging {
          for line in TextWriter.wrapped(row.text, hanging: hanging) { writer.line("  ", line) }
        } else {
          writer.line("  ", row.text)
        }
      }
      writer.line("", answer.message.utf8.isEmpty ? "ok" : "ok " + answer.message)
    case .error(let error):
      writer.line("", "error: " + error.sentence)
    }
    return writer.bytes
  }

  private var json: [UInt8] {
    var writer = JSONWriter()
    switch self {
    case .ok(let answer):
      writer.add("ok", .isOn(true))
      if !answer.message.utf8.isEmpty { writer.add("message", .text(answer.message)) }
      if !answer.fields.isEmpty { writer.add("fields", answer.fields) }
      if !answer.rows.isEmpty {
        writer.beginList("rows")
        for (i, row) in answer.rows.enumerated() {
          guard writer.bytes.count + Self.maxTextLength * 8 < Self.maxLength else {
            writer.endList()
            writer.add("left-off", .integer(answer.rows.count - i))
            return writer.finished
          }
          writer.addElement(row.fields.isEmpty ? [Field("text", row.text)] : row.fields)
        }
        writer.endList()
      }
    case .error(let error):
      writer.add("ok", .isOn(false))
      writer.add("error", .text(error.sentence))
      writer.add("kind", .text(error.kind.name))
      if let column = error.column { writer.add("column", .integer(column)) }
    }
    return writer.finished
  }
}

extension Notice {
  /// Formats the notice as one line including its line end.
  ///
  /// - Parameters:
  ///   - format: The output format.
  ///   - lineEnd: LF, or CR LF on a serial line.
  package func rendered(_ format: ReplyFormat, lineEnd: LineEnd = .lineFeed) -> [UInt8] {
    switch format {
    case .text:
      var writer = TextWriter(lineEnd: lineEnd)
      writer.line("* ", text)
      return writer.bytes
    case .json:
      var writer = JSONWriter()
      writer.add("event", .text(event))
      if fields.isEmpty { writer.add("text", .text(text)) } else { writer.add("fields", fields) }
      return writer.finished + lineEnd.bytes
    case .lines: return FieldLines.rendered(self, lineEnd)
    }
  }
}

/// One line of a report that is too long to be built in memory as a whole.
package struct ReportLine: Hashable, Sendable {
  /// The line's text.
  package var text: String

  /// Creates a line.
  package init(_ text: String) { self.text = text }

  /// Formats the line: as a row of an answer in text, as a separate object in JSON.
  package func rendered(_ format: ReplyFormat, lineEnd: LineEnd = .lineFeed) -> [UInt8] {
    switch format {
    case .text, .lines:
      var writer = TextWriter(lineEnd: lineEnd)
      writer.line("  ", text)
      return writer.bytes
    case .json: return Notice("report", text).rendered(.json, lineEnd: lineEnd)
    }
  }
}

/// The line terminator.
package enum LineEnd: Hashable, Sendable {
  case lineFeed
  case carriageReturnLineFeed

  /// The terminator's bytes.
  package var bytes: [UInt8] { self == .lineFeed ? [0x0A] : [0x0D, 0x0A] }
}

extension FieldValue {
  /// The value as shown to users.
  package var shown: String {
    switch self {
    case .text(let text): text
    case .integer(let number): String(number)
    case .decimal(let number, let decimals): TextWriter.decimal(number, decimals)
    case .list(let texts): texts.joined(separator: ", ")
    case .isOn(let isOn): isOn ? "yes" : "no"
    case .none: "-"
    }
  }
}

/// Writes text lines without control characters, because file names may contain escape sequences.
struct TextWriter {
  let lineEnd: LineEnd
  private(set) var bytes: [UInt8] = []

  init(lineEnd: LineEnd) { self.lineEnd = lineEnd }

  mutating func line(_ indent: String, _ text: String) {
    bytes += Array(indent.utf8)
    bytes += Self.clean(text)
    bytes += lineEnd.bytes
  }

  /// Cuts a text to `Reply.maxTextLength` bytes at a character boundary and replaces control characters with
  /// `?`.
  static func clean(_ text: String) -> [UInt8] {
    let all = Array(text.utf8)
    var clean: [UInt8] = []
    var i = 0
    while i < all.count {
      let length = UTF8Check.scalarLength(all, at: i) ?? 1
      guard clean.count + length <= Reply.maxTextLength else { return clean + Array("…".utf8) }
      if UTF8Check.isControl(all, at: i) { clean.append(0x3F) } else { clean += all[i..<(i + length)] }
      i += length
    }
    return clean
  }

  /// The width of wrapped text in columns, including the answer's indent; most terminals have 80.
  private static let proseColumns = 79

  /// Wraps a text at word boundaries, indenting continuation lines by `hanging` columns.
  static func wrapped(_ text: String, hanging: Int) -> [String] {
    let room = proseColumns - 2
    guard text.columns > room else { return [text] }
    // Leading blanks are the text's own indent.
    let indent = text.utf8.prefix { $0 == 0x20 }.count
    var lines: [String] = []
    var line = String(repeating: " ", count: indent)
    var isEmpty = true
    for word in text.utf8.dropFirst(indent).split(separator: 0x20, omittingEmptySubsequences: false) {
      let word = String(decoding: word, as: UTF8.self)
      if !isEmpty, line.columns + 1 + word.columns > room {
        lines.append(line)
        line = String(repeating: " ", count: hanging)
        isEmpty = true
      }
      line += isEmpty ? word : " " + word
      isEmpty = false
    }
    return lines + [line]
  }

  static func decimal(_ number: Double, _ decimals: Int) -> String {
    Decimal.format(number, decimals: max(0, min(decimals, 6)))
  }
}
