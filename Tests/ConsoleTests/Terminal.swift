// A one-row terminal with the features of a serial console, and a typist. Test threads.

import Console
import Testing

/// Interprets output bytes for the cursor's row, and keeps the rows above.
struct Terminal {
  private(set) var rows: [String] = []
  private var row: [Unicode.Scalar] = []
  private var column = 0
  /// Unknown sequences, and moves past the ends of the row.
  private(set) var complaints: [String] = []
  let width: Int

  init(width: Int = 80) { self.width = width }

  /// The row without trailing blanks.
  var text: String {
    var end = row.count
    while end > 0, row[end - 1] == " " { end -= 1 }
    var text = ""
    text.unicodeScalars.append(contentsOf: row[..<end])
    return text
  }

  mutating func show(_ bytes: [UInt8]) {
    var scalars = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)[...]
    while let scalar = scalars.popFirst() {
      switch scalar.value {
      case 0x07: break
      case 0x08:
        if column == 0 { complaints.append("BS in the first column") } else { column -= 1 }
      case 0x0D: column = 0
      case 0x0A:
        rows.append(text)
        row = []
        column = 0
      case 0x1B:
        let sequence = String(String.UnicodeScalarView(scalars.prefix(2)))
        if sequence == "[K" {
          row.removeSubrange(min(column, row.count)...)
        } else if sequence == "[H" {
          column = 0
        } else if sequence == "[2" {
          row = []
          rows = []
          scalars = scalars.dropFirst()
        } else {
          complaints.append("ESC " + sequence)
        }
        scalars = scalars.dropFirst(2)
      default:
        while row.count <= column { row.append(" ") }
        row[column] = scalar
        column += 1
        if column >= width { complaints.append("wrapped") }
      }
    }
  }
}

/// An editor with a terminal, and the editor's events.
struct Typist {
  var editor: LineEditor
  var terminal: Terminal
  var events: [LineEditor.Event] = []

  init(_ mode: LineEditor.Mode = .dumb, width: Int = 80) {
    editor = LineEditor(mode: mode, width: width)
    terminal = Terminal(width: width)
    terminal.show(editor.prompt())
  }

  mutating func type(_ bytes: [UInt8], paths: (String) -> [String] = { _ in [] }) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let (echo, event) = editor.feed(&rest) { Completion(of: $0, paths: paths) }
      terminal.show(echo)
      guard let event else { continue }
      events.append(event)
      terminal.show(editor.prompt())
    }
  }

  mutating func type(_ text: String) { type(Array(text.utf8)) }

  /// The line entered last.
  var line: String? {
    guard case .line(let bytes)? = events.last else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
