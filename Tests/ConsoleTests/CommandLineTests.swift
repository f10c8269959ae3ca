// Commands as complete lines, which programs send to the box. Test threads.

import Testing

@testable import Console

@Suite struct CommandLineTests {
  /// The examples of all commands. None is left out.
  private static let examples = CommandTable.declarations.flatMap { $0.examples }

  @Test func eachCommandHasAnExample() {
    for declaration in CommandTable.declarations {
      #expect(!declaration.examples.isEmpty, "\(declaration.name)")
    }
  }

  @Test(arguments: examples) func eachExampleIsReadBack(example: String) throws {
    let command = try #require(try Interpreter.parse(example))
    #expect(try Interpreter.parse(command.line) == command, "\(command.line)")
  }

  /// Names with quotes, secrets, commands in commands, fine times, and as many words as a line can have.
  @Test(arguments: [
    "play \"a \\\"b\\\" 'c' \\\\ #d\"", "play '#1'", "play 'a\tb'", "set mqtt.password \"a b\"",
    "set console.pin 1234", "set console.pin off", "set queue.end clear", "unset fade.curve",
    "bind play long \"queue add 'a b'\"", "bind play+next press when crossfade-paused queue add 'a b'",
    "tag 1 \"play 'a b'\"", "tag 1 play 'a b'", "tag learn sleep 30", "tag remove 04-A2", "seek 1.2345",
    "seek -0", "seek 33.3%", "queue cue id:3 0.0005", "queue", "queue insert next a 5:", "queue mix",
    "queue edit 3 clear \"clear upcoming\" \"priority 7 1 2\"", "add" + String(repeating: " x", count: 63),
    "eq 3 peak 1.5kHz -3.25dB Q1.414", "announce 'a b' volume 5 duck pause", "alarm 6:05 mon,wed play 'a b'",
    "find artist \"\"", "sticker find rating", "picture a", "playlist save 'a b' append",
    "watch on", "watch off", "idle", "help all", "help playing", "help queue list", "help eq.1", "history",
    "limits lift 5", "button play key code-500 'My Keyboard'", "button play gpio c 1 active-high no-pull",
    "knob k gpio c 1 2 pull-down steps-1", "led l gpio c 3 active-low red", "panel /dev/ttyS0",
    "timing all gap 200", "source s alsa hw:1", "source s format 48000:float:1", "unbind a+b",
    "simulate turn k -2",
  ]) func otherLinesAreReadBack(line: String) throws {
    let command = try #require(try Interpreter.parse(line))
    #expect(try Interpreter.parse(command.line) == command, "\(command.line)")
  }

  @Test(arguments: [
    ("add a 'b c'", "queue add a \"b c\""), ("crossfade 5", "set fade.length 5"), ("clear", "queue clear"),
    ("random on", "queue shuffle on"), ("pin 1234", "pin 1234"), ("seek 1:30", "seek 90.000"),
    ("play '#1'", "play \"#1\""), ("repeat one", "queue repeat one"),
  ]) func linesHaveOneForm(line: String, expected: String) throws {
    #expect(try Interpreter.parse(line)?.line == expected)
  }
}
