// Arbitrary input on a serial line: no crash, no growth, and the displayed line is the entered one. Test
// threads.

import Console
import PlaybackModel
import Testing

private struct Noise {
  var generator: ShuffleGenerator

  init(seed: UInt64) { generator = ShuffleGenerator(seed: seed) }

  mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }

  private static let words: [String] =
    Interpreter.commands.flatMap {
      ($0.name + " " + $0.examples.joined(separator: " ")).split(separator: " ").map(String.init)
    }
    + Setting.allCases.map(\.key)
    + [
      "\"", "'", "\\", "#", "-1", "99999999999999999999", "1e9", "0:0:0", "--", "+", "%", "ü", "\u{9B}", ":",
      "9:",
    ]

  /// A line of words, with some bytes damaged.
  mutating func line() -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0..<number(0..<6) {
      bytes += Array(Self.words[number(0..<Self.words.count)].utf8)
      if number(0..<8) != 0 { bytes.append(0x20) }
    }
    for _ in 0..<(number(0..<3) == 0 ? number(0..<4) : 0) {
      bytes.insert(UInt8(number(0..<256)), at: number(0..<(bytes.count + 1)))
    }
    return bytes
  }

  private static let keys: [String] = [
    "\u{1B}[A", "\u{1B}[B", "\u{1B}[C", "\u{1B}[D", "\u{1B}b", "\u{1B}[3~", "\u{1B}[", "\u{1B}",
    "\u{1B}[1;5C",
  ]

  mutating func typed() -> [UInt8] {
    switch number(0..<6) {
    case 0: line()
    case 1: [UInt8(number(0..<32))]
    case 2: Array(Self.keys[number(0..<Self.keys.count)].utf8)
    case 3: [UInt8(number(0..<256))]
    case 4: Array("\t".utf8)
    default: Array("ä€😀 x".utf8)
    }
  }
}

@Suite struct NoiseTests {
  @Test(arguments: 0..<4) func parserTakesAnything(seed: UInt64) {
    var noise = Noise(seed: seed)
    var understood = 0
    for number in 0..<25_000 {
      let line = noise.line()
      do throws(ConsoleError) {
        if try Interpreter.parse(line) != nil { understood += 1 }
      } catch {
        if error.sentence.isEmpty { Issue.record("\(line)") }
        if let column = error.column, column < 1 || column > line.count + 1 {
          Issue.record("column \(column) of \(line)")
        }
        guard number % 10 == 0 else { continue }
        let bytes = Reply.error(error).rendered(.text)
        if bytes.count > 4096 || bytes.dropLast().contains(where: { $0 < 0x20 }) { Issue.record("\(line)") }
      }
      if number % 10 == 0 { _ = Completion(of: line) }
    }
    // The noise is weak enough that some lines are valid.
    #expect(understood > 1000)
  }

  @Test(arguments: [LineEditor.Mode.dumb, .ansi], 0..<2)
  func whatIsShownIsWhatIsEntered(mode: LineEditor.Mode, seed: UInt64) {
    var noise = Noise(seed: 100 + seed)
    var typist = Typist(mode, width: 2600)
    var entered = 0
    for _ in 0..<10_000 {
      typist.type(noise.typed()) { typed in
        ["Jazz/", "Jazz/a b.flac", "Jörg's.ogg"].filter { $0.hasPrefix(typed) }
      }
      guard noise.number(0..<4) == 0 else { continue }
      let shown = typist.terminal.text
      let before = typist.events.count
      // ^E first: the first byte of a line that follows an unfinished escape sequence would belong to the
      // sequence.
      typist.type([0x05])
      typist.type([0x0D])
      if typist.events.count != before + 1 {
        Issue.record("a line end made \(typist.events.count - before) events")
        return
      }
      if let line = typist.line {
        entered += 1
        var wanted = "> " + line
        while wanted.hasSuffix(" ") { wanted.removeLast() }
        if shown != wanted {
          Issue.record("shown \(shown), entered \(wanted)")
          return
        }
      }
      typist.events = []
      if noise.number(0..<10) == 0 { typist.terminal.show(typist.editor.printAbove(Array("* log\r\n".utf8))) }
    }
    #expect(entered > 1000)
    #expect(typist.terminal.complaints == [])
  }

  @Test(arguments: [LineEditor.Mode.dumb, .ansi]) func narrowTerminalsNeverWrap(mode: LineEditor.Mode) {
    for width in [20, 33, 80] {
      var noise = Noise(seed: UInt64(width))
      var typist = Typist(mode, width: width)
      for _ in 0..<5000 {
        typist.type(noise.typed())
        typist.events = []
        let row = typist.terminal.text
        if row.unicodeScalars.count >= width || !row.hasPrefix(">") {
          Issue.record("row \(row)")
          return
        }
      }
      #expect(typist.terminal.complaints == [], "width \(width)")
    }
  }

  @Test func completionsAlwaysGoOn() throws {
    let paths = ["Jazz/", "Jazz/Kind of Blue.flac", "#1's \"best\"\\.mp3"]
    var lines: [[UInt8]] = [[]]
    var finished: [String] = []
    for _ in 0..<4 {
      var longer: [[UInt8]] = []
      for line in lines {
        let completion = Completion(of: line) { typed in paths.filter { $0.hasPrefix(typed) } }
        for candidate in completion.candidates {
          let whole =
            Array(line[..<completion.start]) + Array(CommandLineText.quoted(candidate).utf8) + [0x20]
          do throws(ConsoleError) {
            if try Interpreter.parse(whole) != nil { finished.append(String(decoding: whole, as: UTF8.self)) }
          } catch {
            // The only error in a completed line may be a missing argument.
            #expect(
              error.kind == .wrongUsage && error.column == nil, "\(String(decoding: whole, as: UTF8.self))")
          }
          longer.append(whole)
        }
      }
      lines = longer
    }
    #expect(lines.count > 10)
    #expect(finished.contains("set fade.curve s-curve ") && finished.contains("queue clear upcoming "))
    for command in Interpreter.commands {
      #expect(
        finished.contains { $0.hasPrefix(command.name) }
          || command.arguments.contains { !$0.isOptional && $0.sources.isEmpty }, "\(command.name)")
    }
  }

  @Test(arguments: [
    ("pl", "play"), ("PL", "play"), ("playl", "playlist "), ("PLAYL", "playlist "), ("que", "queue "),
    ("queue cl", "queue clear "),
    ("play Ja", "play Jazz"),
    ("play Jazz/", "play Jazz/Kind\\ of\\ Blue.flac "), ("play Jö", "play Jö"),
    ("play \"#", "play \\#1\\'s.mp3 "),
    ("set fade.c", "set fade.curve "), ("set output.mode d", "set output.mode deep "), ("x", "x"),
    ("# pl", "# pl"),
    ("seek 1", "seek 1"), ("show fa", "show fade"), ("help que", "help queue"),
    ("pause ", "pause "), ("set console.pin ", "set console.pin off "),
  ]) func completes(line: String, to wanted: String) {
    let paths = ["Jazz/", "Jazzy.ogg", "Jazz/Kind of Blue.flac", "Jö1", "Jö2", "#1's.mp3", "bad\n"]
    let bytes = Array(line.utf8)
    let completion = Completion(of: bytes) { typed in
      paths.filter { $0.hasPrefix(typed) && (typed.hasSuffix("/") ? $0 != typed : !$0.contains(" ")) }
    }
    let insertion = completion.candidates.isEmpty ? bytes[completion.start...] : completion.insertion[...]
    let completed = Array(bytes[..<completion.start]) + (completion == .none ? bytes : Array(insertion))
    #expect(String(decoding: completed, as: UTF8.self) == wanted)
  }
}
