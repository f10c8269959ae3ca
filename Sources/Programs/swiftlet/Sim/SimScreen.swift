// Screen of `swiftlet sim`: lights, music, buttons and knob at the top, the console scrolling below. Pure functions;
// main thread.

import PlaybackModel
import Platform

/// Contents of the panel above the console.
struct SimScreen {
  /// Height of the panel in lines.
  static let height = 10

  /// A button and whether it is held down.
  struct Button: Hashable {
    let name: String
    var isDown = false
  }

  var board: String
  var buttons: [Button]
  var knob: String?
  var lights: [String]
  /// The bindings of the buttons, as command lines.
  var legend: [String]
  /// Status received from the daemon.
  var box = SimStatus()
  /// Whether the lights are on at this moment of their blink pattern.
  var isLit = false

  /// Clears the screen and restricts scrolling to the rows below the panel.
  static func enter(rows: Int) -> String {
    "\u{1B}[2J\u{1B}[\(height + 1);\(max(rows, height + 3))r\u{1B}[\(height + 1);1H"
  }

  /// Restores full-screen scrolling.
  static func leave(rows: Int) -> String { "\u{1B}[r\u{1B}[\(rows);1H\r\n" }

  /// Escape sequences that draw the panel without moving the cursor.
  func drawn(columns: Int) -> String {
    var lines = [
      "\u{1B}[1m Swiftlet\u{1B}[0m, board \(board)   " + lightText + "  " + box.text,
      " " + box.music.cut(toColumns: max(1, columns - 2)),
    ]
    var (tops, names, bottoms) = (" ", " ", " ")
    var width = 1
    for (index, button) in buttons.enumerated() {
      let size = max(button.name.utf8.count, 4) + 2
      guard width + size + 3 < columns else { break }
      width += size + 3
      let shade = button.isDown ? "\u{1B}[7m" : ""
      tops += "┌" + String(repeating: "─", count: size) + "┐ "
      names += "│" + shade + Self.centred(button.name, size) + "\u{1B}[0m│ "
      let key = "F" + String(index + 1)
      bottoms += "└" + key + String(repeating: "─", count: size - key.utf8.count) + "┘ "
    }
    if let knob, width + knob.utf8.count + 8 < columns {
      tops += "  ╭─◯─╮"
      names += "  " + knob
      bottoms += "  PgDn ↺ ↻ PgUp"
    }
    lines += [tops, names, bottoms]
    let keys = " F1 or Alt-1: press · Shift-F1: hold · PgUp/PgDn: turn · Ctrl-C: end"
    lines.append("\u{1B}[2m" + keys.cut(toColumns: columns - 1) + "\u{1B}[0m")
    for line in legendLines(columns: columns) { lines.append("\u{1B}[2m" + line + "\u{1B}[0m") }
    lines.append(String(repeating: "─", count: max(1, columns)))
    var text = "\u{1B}7"
    for (row, line) in lines.enumerated() {
      text += "\u{1B}[\(row + 1);1H\u{1B}[?7l" + line + "\u{1B}[K\u{1B}[?7h"
    }
    return text + "\u{1B}8"
  }

  /// The bindings in three lines; entries that do not fit are omitted.
  private func legendLines(columns: Int) -> [String] {
    var lines = [" ", " ", " "]
    var row = 0
    for entry in legend {
      let part = (lines[row] == " " ? "" : " · ") + entry
      if lines[row].columns + part.columns < columns {
        lines[row] += part
      } else if row + 1 < lines.count, entry.columns + 2 < columns {
        row += 1
        lines[row] += entry
      }
    }
    return lines
  }

  private var lightText: String {
    guard !lights.isEmpty else { return "(no light)" }
    let sign = isLit ? "\u{1B}[\(Self.code(box.indicator.colour))m●\u{1B}[0m" : "\u{1B}[2m○\u{1B}[0m"
    return sign + " " + box.indicator.text
  }

  private static func code(_ colour: Indicator.Colour) -> Int {
    switch colour {
    case .none: 37
    case .green: 92
    case .blue: 94
    case .cyan: 96
    case .amber: 33
    case .red: 91
    case .violet: 95
    }
  }

  private static func centred(_ text: String, _ width: Int) -> String {
    let rest = max(0, width - text.utf8.count)
    return String(repeating: " ", count: rest / 2) + text + String(repeating: " ", count: rest - rest / 2)
  }
}
