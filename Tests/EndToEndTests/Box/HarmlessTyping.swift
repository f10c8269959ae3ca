// Random input lines without an effect on the sound, selected with the console's own editor and interpreter.
// Test threads.

import ChildSupport
import Console

/// Types random input into a copy of the daemon's line editor.
struct HarmlessTyping {
  private var editor: LineEditor
  /// Number of lines so far that were commands.
  private(set) var commands = 0

  private static let words =
    Interpreter.commands.flatMap { $0.name.split(separator: " ").map(String.init) }
    + [
      "fade.length", "volume.maximum", "1", "-3", "on", "off", "#", "\"", "\\", "1.wav", "99999999999", "%",
      "ä",
    ]

  init(_ mode: LineEditor.Mode) {
    editor = LineEditor(mode: mode, prompt: "swiftlet> ")
    _ = editor.prompt()
  }

  /// The bytes of another line.
  mutating func line(ending: UInt8, _ random: inout Noise) -> [UInt8] {
    while true {
      let bytes = Self.anything(&random) + [ending]
      var twin = editor
      if let count = Self.commands(in: bytes, &twin) {
        editor = twin
        commands += count
        return bytes
      }
    }
  }

  private static func anything(_ random: inout Noise) -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0..<Int.random(in: 0..<8, using: &random) {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4:
        bytes += Array(words.randomElement(using: &random)!.utf8)
        if Bool.random(using: &random) { bytes.append(0x20) }
      case 4..<6:
        // An escape sequence, complete or truncated.
        let keys = ["\u{1B}[A", "\u{1B}[B", "\u{1B}[3~", "\u{1B}OH", "\u{1B}", "\u{1B}[", "\u{1B}[1;5D"]
        bytes += Array(keys.randomElement(using: &random)!.utf8)
      case 6..<8:
        bytes.append(UInt8.random(in: 0..<0x20, using: &random))
      default:
        for _ in 0..<Int.random(in: 1..<12, using: &random) {
          bytes.append(UInt8.random(in: 0...255, using: &random))
        }
      }
    }
    return bytes
  }

  /// The number of commands in the bytes; nil if one of them would affect the sound.
  private static func commands(in bytes: [UInt8], _ editor: inout LineEditor) -> Int? {
    var count = 0
    var rest = bytes[...]
    while !rest.isEmpty {
      let (_, event) = editor.feed(&rest) { line in
        Completion(of: line, paths: { typed in ["1.wav"].filter { $0.hasPrefix(typed) } })
      }
      switch event {
      case .endOfInput?: return nil
      case .refused?: break
      case .line(let line)?:
        if let command = try? Interpreter.parse(line) {
          guard isHarmless(command) else { return nil }
          count += 1
        }
      case nil: continue
      }
      _ = editor.prompt()
    }
    return count
  }

  private static func isHarmless(_ command: Command) -> Bool {
    switch command {
    case .status, .stats, .history, .log, .show, .diff, .media, .bookmarks, .help, .volume(nil), .sleep(nil),
      .queue(.list), .play(nil), .retry, .wake, .interruptionEnd:
      true
    default: false
    }
  }
}
