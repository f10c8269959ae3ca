// Commands as lines without private names. Test threads.

import Testing

@testable import Console

@Suite struct AnonymousTests {
  private func anonymous(_ line: String) throws -> String? {
    try Interpreter.parse(line)?.anonymousLine { _ in "NAME" }
  }

  @Test(arguments: [
    ("play", "play"), ("play 1999", "play NAME"), ("play status", "play NAME"), ("seek 1:30", "seek 90.000"),
    ("seek -5", "seek -5.000"), ("seek 1.2345", "seek 1.234500"), ("seek 25%", "seek 25.000%"),
    ("volume up", "volume up"),
    ("volume -5", "volume -5"),
    ("queue add a b", "queue add NAME NAME"), ("queue insert next 5", "queue insert next NAME"),
    ("queue jump 3", "queue jump 3"), ("queue repeat all", "queue repeat all"), ("media Jazz", "media NAME"),
    ("pin 1234", "pin ****"), ("set console.pin 1234", "set console.pin ****"),
    ("set console.pin off", "set console.pin off"), ("set media.root /a /b", "set media.root NAME NAME"),
    ("set fade.length 5", "set fade.length 5"), ("set fade.curve linear", "set fade.curve linear"),
    ("set night.from 22:30", "set night.from 22:30"), ("set socket.group x", "set socket.group NAME"),
    ("crossfade 5", "set fade.length 5"), ("bind play short play Jazz", "bind"), ("help seek", "help"),
    ("report with paths", "report with paths"), ("interruption end stay", "interruption end stay"),
  ])
  func aLineNamesNothing(line: String, expected: String) throws {
    #expect(try anonymous(line) == expected)
  }

  /// A line without omissions can be typed again.
  @Test func whatIsShownCanBeTyped() throws {
    for declaration in Interpreter.commands {
      for example in declaration.examples {
        guard let line = try? anonymous(example), !line.contains("NAME"), !line.contains("****") else {
          continue
        }
        guard declaration.group != .controls, line != "board", line != "help" else { continue }
        #expect(try Interpreter.parse(line) == Interpreter.parse(example), "\(example): \(line)")
      }
    }
  }
}
