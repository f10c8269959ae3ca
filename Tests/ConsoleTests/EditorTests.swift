// The line editor: keys, history, completion, and output printed above the line. Test threads.

import Console
import Testing

@Suite struct EditorTests {
  @Test(
    arguments: [LineEditor.Mode.dumb, .ansi],
    [
      ("play\r", "play"), ("play\n", "play"), ("play\r\nnext\r\n", "next"),
      ("plau\u{8}y\r", "play"), ("plau\u{7F}y\r", "play"),
      ("lay\u{1}p\u{5}!\r", "play!"), ("ply\u{2}a\r", "play"), ("ply\u{1B}[Da\r", "play"),
      ("xplay\u{1B}[H\u{1B}[3~\r", "play"), ("lay\u{1B}OHp\r", "play"), ("lay\u{1B}[1~p\r", "play"),
      ("xplay\u{1}\u{4}\r", "play"),
      ("play now\u{17}\r", "play "), ("play now\u{15}\u{19}\u{19}\r", "play nowplay now"),
      ("play now\u{1B}b\u{B}\r", "play "), ("a b c\u{1}\u{1B}f\u{1B}d\r", "a c"),
      ("lpay\u{1}\u{6}\u{14}\r", "play"),
      ("plya\u{14}\r", "play"), ("a b\u{1B}[1;5Dc\r", "a cb"), ("one\rtwo\r\u{10}\u{10}\r", "one"),
      ("one\rtwo\r\u{1B}[A\u{1B}OA\u{E}\r", "two"), ("one\rtw\u{10}\u{E}o\r", "two"),
      ("junk\u{3}play\r", "play"),
      ("Größe\u{2}\u{2}\u{8}o\r", "Große"), ("\u{0}p\u{1B}\rlay\r", "lay"),
      ("a\u{1B}[12;34\u{1B}[Db\r", "ba"), ("tog\ta\r", "toggle a"),
      ("pin 1234\rplay\r\u{10}\u{10}\u{10}\r", "play"),
      ("set console.pin 1234\r\u{10}\r", ""),
    ])
  func keys(mode: LineEditor.Mode, keys: (typed: String, line: String)) {
    var typist = Typist(mode)
    typist.type(keys.typed)
    #expect(typist.line == keys.line)
    #expect(typist.terminal.complaints == [])
    #expect(typist.terminal.rows.last == ("> " + keys.line).trimmed)
  }

  /// On a line corrupted by noise.
  @Test(arguments: [LineEditor.Mode.dumb, .ansi]) func aLineIsDrawnAgain(mode: LineEditor.Mode) {
    var typist = Typist(mode)
    typist.type("play so")
    typist.terminal.show(Array("\r#####".utf8))
    typist.type("\u{C}")
    #expect(typist.terminal.text == "> play so" && typist.terminal.complaints == [])
    typist.type("ng\r")
    #expect(typist.line == "play song")
  }

  @Test func linesAboveDoNotTear() {
    for mode in [LineEditor.Mode.dumb, .ansi] {
      var typist = Typist(mode)
      typist.type("play so\u{2}")
      let line = Notice("log", "worker restarted").rendered(.text, lineEnd: .carriageReturnLineFeed)
      typist.terminal.show(typist.editor.printAbove(line))
      #expect(typist.terminal.rows == ["* worker restarted"])
      #expect(typist.terminal.text == "> play so")
      typist.type("z\r")
      #expect(typist.line == "play szo")
      // While a response is being written, there is nothing to erase or redraw.
      var idle = LineEditor(mode: mode)
      #expect(idle.printAbove(line) == line)
    }
  }

  @Test func endOfInputOnlyOnAnEmptyLine() {
    var typist = Typist()
    typist.type("a\u{1}\u{4}\u{4}")
    #expect(typist.events == [.endOfInput])
  }

  @Test(arguments: [LineEditor.Mode.plain, .dumb, .ansi]) func endlessLine(mode: LineEditor.Mode) {
    var typist = Typist(mode)
    for _ in 0..<1000 { typist.type([UInt8](repeating: 0x61, count: 1000)) }
    #expect(typist.events.isEmpty)
    typist.type("\nplay\n")
    #expect(typist.events.count == 2)
    guard case .refused(let error)? = typist.events.first else {
      Issue.record("\(typist.events)")
      return
    }
    #expect(error.kind == .malformed)
    #expect(typist.line == "play")
    #expect(typist.terminal.complaints == [])
  }

  @Test func plainIsSilentAndPassesBytes() {
    var typist = Typist(.plain)
    typist.type([0x1B, 0x5B, 0x41, 0xFF, 0x00, 0x0D, 0x0A])
    #expect(typist.events == [.line([0x1B, 0x5B, 0x41, 0xFF, 0x00, 0x0D])])
    #expect(typist.terminal.text == "" && typist.terminal.rows == [])
    let longest = "play " + String(repeating: "a", count: CommandLineText.maxLineLength - 5)
    typist.type(longest + "\r\n")
    #expect(typist.line == longest + "\r")
  }

  @Test func longLinesScroll() {
    var typist = Typist(.dumb, width: 40)
    let path = (0..<30).map { "ä\($0)" }.joined(separator: "/")
    typist.type("play " + path)
    #expect(typist.terminal.text.hasPrefix("> ") && typist.terminal.text.hasSuffix("ä29"))
    typist.type("\u{1}")
    #expect(typist.terminal.text.hasPrefix("> play ä0/"))
    typist.type("\u{5}\u{2}\u{8}\u{6}\r")
    #expect(typist.line == "play " + path.dropLast(2) + "9")
    #expect(typist.terminal.complaints == [])
    for row in typist.terminal.rows { #expect(row.unicodeScalars.count < 40) }
  }

  @Test func maskedInputShowsStars() {
    var typist = Typist(.dumb)
    typist.editor.masksInput = true
    typist.type("pin 4711\u{8}2")
    #expect(typist.terminal.text == "> ********")
    typist.type("\r")
    #expect(typist.line == "pin 4712")
    typist.editor.masksInput = false
    typist.type("\u{10}\r")
    #expect(typist.line == "")
  }

  @Test func historyIsBounded() {
    var typist = Typist()
    for i in 0..<200 { typist.type("line \(i)\r") }
    typist.type(String(repeating: "\u{10}", count: 300) + "\r")
    #expect(typist.line == "line 150")
  }

  @Test(arguments: secretLines) func secretsAreNotKept(line: String) {
    var typist = Typist()
    typist.type("pause\r" + line + "\r")
    typist.type("\u{10}\r")
    #expect(typist.line == "pause")
  }

  @Test func completionListsAndGoesOn() {
    var typist = Typist()
    typist.type("set fade.c\t")
    #expect(typist.terminal.text == "> set fade.curve")
    typist.type("\t")
    #expect(typist.terminal.rows.joined().contains("equal-power"))
    typist.type("eq\t\r")
    #expect(typist.line == "set fade.curve equal-power ")
    typist.type(Array("play Ki\t\t\r".utf8)) { typed in
      ["Kind of Blue/", "Kind of Blue/01 So What.flac"].filter { $0 != typed && $0.hasPrefix(typed) }.suffix(
        1)
    }
    #expect(typist.line == "play Kind\\ of\\ Blue/01\\ So\\ What.flac ")
    typist.type("xyz\t\r")
    #expect(typist.line == "xyz")
  }

  /// The next Tab shows the next page of a list, so all names are shown.
  @Test func longListsHavePages() {
    let names = (100..<300).map { "name-\($0)-of-many" }
    var typist = Typist()
    var shown = ""
    // The first Tab completes the common prefix.
    typist.type(Array("play n\t".utf8)) { _ in names }
    for _ in 0..<6 {
      typist.type([0x09]) { _ in names }
      shown += typist.terminal.rows.joined(separator: "\n")
      if !typist.terminal.rows.joined().contains("more: Tab") { break }
    }
    let missing = names.filter { !shown.contains($0) }
    #expect(missing.isEmpty, "\(missing.prefix(5)), \(missing.count)")
  }
}

extension String {
  fileprivate var trimmed: String {
    var text = self
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }
}

@Suite struct AnswerPageTests {
  private static func answer(_ rows: Int) -> [UInt8] { (1...rows).flatMap { Array("row \($0)\r\n".utf8) } }

  /// At most 24 rows at once on the terminal, and finally the whole response and the prompt.
  @Test(arguments: [LineEditor.Mode.dumb, .ansi], [1, 21, 22, 23, 44, 45, 100])
  func pagesFitATerminal(mode: LineEditor.Mode, rows: Int) {
    var typist = Typist(mode)
    // Like after an entered line.
    typist.terminal.show([0x0D, 0x0A] + typist.editor.page(Self.answer(rows)))
    typist.terminal.show(typist.editor.prompt())
    var pages = 1
    while typist.terminal.text.contains("any key"), pages < 10 {
      #expect(typist.terminal.rows.count == 1 + 22 * pages)
      typist.type(pages % 2 == 0 ? "x" : "\u{1B}[B")
      pages += 1
    }
    #expect(pages == max(1, (rows + 21) / 22))
    #expect(typist.terminal.rows.dropFirst().elementsEqual((1...rows).map { "row \($0)" }))
    #expect(typist.terminal.text == ">" && typist.terminal.complaints == [])
    typist.type("play\r")
    #expect(typist.line == "play")
  }

  @Test func linesAboveDoNotTearAPage() {
    var typist = Typist(.dumb)
    typist.terminal.show(typist.editor.page(Self.answer(30)))
    typist.terminal.show(typist.editor.printAbove(Array("* news\r\n".utf8)))
    #expect(typist.terminal.rows.last == "* news" && typist.terminal.text.hasPrefix("… 8 more lines"))
    typist.type("q")
    #expect(typist.terminal.rows.count == 23 && typist.terminal.text == ">")
  }

  @Test func programsGetNoPages() {
    var editor = LineEditor(mode: .plain)
    #expect(editor.page(Self.answer(100)) == Self.answer(100))
  }
}
