// Merging a card's configuration file into the box's: what is replaced, what stays, and how wrong lines are
// treated. Test threads.

import Console
import Foundation
import PlaybackModel
import Testing

@Suite struct CardConfigurationTests {
  private static let boards = ["other": "set volume.maximum 50\nbutton stop panel\n", "test": profile]
  private static let profile =
    "set volume.maximum 60\nbutton play panel\nbutton next panel\nbind play press toggle\nbind next short next\n"
  private static let find: @Sendable (String) -> [UInt8]? = { name in
    boards[name].map { Array($0.utf8) }
  }

  private func merge(
    _ card: String, former: String = "", box: String = ""
  ) throws -> (text: String, problems: [CardConfiguration.Problem]) {
    let merged = try CardConfiguration(
      card: Array(card.utf8), former: Array(former.utf8), box: Array(box.utf8),
      boards: Self.boards.keys.sorted(),
      profile: Self.find)
    return (String(decoding: merged.file, as: UTF8.self), merged.problems)
  }

  /// The report is on a removable card.
  @Test(arguments: secretLines) func secretsAreNotReported(line: String) throws {
    // Two values, so that each line is wrong.
    let problems = try merge(line + " moreThanOne\n").problems
    #expect(problems.count == 1)
    let report = String(decoding: CardConfiguration.report(problems, name: "swiftlet.conf"), as: UTF8.self)
    #expect(report.contains(" ****\r\n"))
    for secret in ["47110815", "moreThanOne"] {
      #expect(!report.contains(secret) && !(problems.first?.sentence.contains(secret) ?? true), "\(report)")
    }
  }

  /// A password on the line of the user name, for example.
  @Test(arguments: linesBesideSecrets) func secretsBehindOtherSettingsAreNotReported(line: String) throws {
    let problems = try merge(line + "\n").problems
    #expect(problems.count == 1)
    let report = String(decoding: CardConfiguration.report(problems, name: "swiftlet.conf"), as: UTF8.self)
    #expect(
      !report.contains("47110815") && !(problems.first?.sentence.contains("47110815") ?? true), "\(report)")
  }

  @Test(arguments: secretAddressLines) func secretsInAddressesAreNotReported(line: String) throws {
    let problems = try merge(line + "\n").problems
    #expect(problems.count == 1)
    let report = String(decoding: CardConfiguration.report(problems, name: "swiftlet.conf"), as: UTF8.self)
    #expect(
      !report.contains("47110815") && !(problems.first?.sentence.contains("47110815") ?? true), "\(report)")
  }

  /// Of a wrong line, the report quotes the command and the setting only.
  @Test(arguments: [
    ("set volume.maximum 400 x", "set volume.maximum …"), ("SET volum.maximum 40", "SET volum.maximum …"),
    ("set zzz 47", "set …"), ("set", "set"), ("set volume.maximum", "set volume.maximum"),
    ("set volume.maximum=60", "set volume.maximum …"), ("unset fade.lenght", "unset fade.lenght"),
    ("queue add", "queue add"), ("queue move 0 1", "queue move …"), ("plya radio", "…"), ("name=Home", "…"),
    ("wifi Home geheim12", "…"), ("set clock.timezone x y", "set clock.timezone …"), ("play a b", "play …"),
    ("set volume.maximum\u{A0}60", "set …"),
  ]) func onlyKnownWordsAreQuoted(line: String, text: String) throws {
    #expect(try merge(line + "\n").problems.map { $0.text } == [text])
  }

  /// Remedies need no terminal.
  @Test(arguments: [
    ("zzz 1", "the line begins with no command; the page \"console\" of the documentation has the list"),
    ("set zzz 1", "there is no setting of that name; the page \"console\" of the documentation has the list"),
    (
      "queue zzzzzz",
      "'queue' is followed by an unknown word; the page \"console\" of the documentation has the list"
    ),
    ("board zzzzzz", "there is no board of that name; the name is on your board's page of the documentation"),
    ("remove zzz", "there is no control 'zzz' before this line; declare it, or remove the line"),
    ("volume.maximum 60", "'volume.maximum' is a setting; write 'set volume.maximum 60'"),
    ("Volume.Maximum=60", "'volume.maximum' is a setting; write 'set volume.maximum 60'"),
    ("volume.maximum = 60", "'volume.maximum' is a setting; write 'set volume.maximum 60'"),
    ("volume.maximum much", "'volume.maximum' is a setting; write 'set volume.maximum VALUE'"),
    ("mpd.password abcdef", "'mpd.password' is a setting; write 'set mpd.password VALUE'"),
    (
      "set volume.maximum=60",
      "a blank stands between a setting and its value, not '='; write 'set volume.maximum 60'"
    ),
    (
      "set volume.maximum = 60",
      "a blank stands between a setting and its value, not '='; write 'set volume.maximum 60'"
    ),
    (
      "set volume.maximum =60",
      "a blank stands between a setting and its value, not '='; write 'set volume.maximum 60'"
    ),
    (
      "set mpd.password=abcdef",
      "a blank stands between a setting and its value, not '='; write 'set mpd.password VALUE'"
    ),
    (
      "set volume.maximum\u{A0}60",
      "the word at column 5 contains a non-breaking blank; type a plain blank in its place"
    ),
    (
      "set volume.maximum 60\u{202F}",
      "the word at column 20 contains a non-breaking blank; type a plain blank in its place"
    ),
    (
      "set fade.curve “linear”",
      "the word at column 16 contains a typographic quotation mark; type a plain one (\"), or leave it out"
    ),
    (
      "set clock.timezone ../etc",
      "clock.timezone cannot be '../etc': it is a continent and a city, such as Europe/Berlin; 'system' is possible, too"
    ),
  ]) func sentencesForAFileNeedNoTerminal(line: String, sentence: String) throws {
    #expect(try merge(line + "\n").problems.map { $0.error.sentence } == [sentence])
    // The daemon says the same of its file.
    let read = Configuration(Array((line + "\n").utf8), profile: Self.find)
    if !line.hasPrefix("board") { #expect(read.problems.map { $0.error.sentence } == [sentence]) }
  }

  /// A value may begin with `=`, and a path may contain any blank.
  @Test func unusualValuesStayPossible() throws {
    let card = "set mqtt.password =abc\nset discovery.name “Küche”\nplay \u{A0}a\n"
    let (text, problems) = try merge(card)
    #expect(problems == [] && text == card)
  }

  @Test func linesOfOldEditorsAreRead() throws {
    for card in [
      "set fade.length 5\rset volume.maximum 40\r", "# mine\rset fade.length 5\r\rset volume.maximum 40",
    ] {
      let (text, problems) = try merge(card)
      #expect(text == "set fade.length 5\nset volume.maximum 40\n" && problems == [])
    }
    #expect(try merge("set fade.length 5\rx\nset volume.maximum 40\n").problems.map(\.line) == [1])
  }

  struct Example: Sendable {
    var card: String
    var former = ""
    var box = ""
    let merged: String
  }

  @Test(arguments: [
    Example(card: "set fade.length 5\n", merged: "set fade.length 5\n"),
    Example(
      card: "# mine\n\nset fade.length 5  # long\r\nset volume.maximum 40",
      box: "# My box\nset fade.length 3\nset queue.repeat all\n",
      merged: "# My box\nset queue.repeat all\nset fade.length 5  # long\nset volume.maximum 40\n"),
    // A line that already has the right value keeps its place.
    Example(
      card: "set fade.length 5\n", box: "SET fade.length 5s # as I like it\nvolume 3\n",
      merged: "SET fade.length 5s # as I like it\nvolume 3\n"),
    // A default value is also written.
    Example(card: "set fade.length 0\n", merged: "set fade.length 0\n"),
    Example(card: "unset fade.length\n", box: "set fade.length 4\n", merged: "unset fade.length\n"),
    Example(card: "set fade.length 2\nset fade.length 3\n", merged: "set fade.length 3\n"),
    Example(card: "cycle queue.shuffle\n", box: "set queue.shuffle on\n", merged: "set queue.shuffle on\n"),
    Example(
      card: "unset all\nset fade.length 3\n", box: "set fade.length 4\nset volume.maximum 40\n",
      merged: "unset volume.maximum\nset fade.length 3\n"),
    // Boards.
    Example(
      card: "board test\n", box: "# box\nset fade.length 3\n",
      merged: "board test\n# box\nset fade.length 3\n"),
    Example(
      card: "board other\n", box: "# box\nboard test\nset fade.length 3\n",
      merged: "# box\nboard other\nset fade.length 3\n"),
    Example(
      card: "set fade.length 3\n", former: "board test\nset fade.length 3\n",
      box: "board test\nset fade.length 3\n",
      merged: "board test\nset fade.length 3\n"),
    // Commands are not duplicated, and are removed when they are removed from the card.
    Example(card: "volume 30\nplay radio\n", box: "volume 30\n", merged: "volume 30\nplay radio\n"),
    Example(
      card: "play radio\n", former: "volume 30\nplay radio\n",
      box: "volume 30\nplay radio\nset fade.length 1\n",
      merged: "play radio\nset fade.length 1\n"),
    Example(card: "# none\n", former: "play radio\n", box: "play radio\nplay radio\n", merged: ""),
    // Settings and controls that were removed from the card stay.
    Example(
      card: "# none\n", former: "set fade.length 5\nbutton a panel\n",
      box: "set fade.length 5\nbutton a panel\n",
      merged: "set fade.length 5\nbutton a panel\n"),
    // Controls replace those of the same name.
    Example(
      card: "button a key mute\nbind a short pause\n",
      box: "button a panel\n# keep\nbind a short next\nbind a long stop\n",
      merged: "# keep\nbind a long stop\nbutton a key mute\nbind a short pause\n"),
    Example(
      card: "board test\nunbind play press\nbind play short toggle\n", box: "board test\n",
      merged: "board test\nunbind play press\nbind play short toggle\n"),
    Example(card: "remove a\n", box: "button a panel\n", merged: "button a panel\nremove a\n"),
    Example(card: "remove a\n", box: "button a panel\nremove a\n", merged: "button a panel\nremove a\n"),
  ]) func merges(example: Example) throws {
    let (text, problems) = try merge(example.card, former: example.former, box: example.box)
    #expect(text == example.merged && problems == [])
    let again = try merge(example.card, former: example.former, box: text)
    #expect(again.text == text)
  }

  /// Wrong lines are copied to the box's file unchanged, and removed when they are removed from the card.
  @Test(arguments: [
    ("set volum.maximum 40", "did you mean 'volume.maximum'?"), ("set volume.maximum 400", "100"),
    ("plya radio", "did you mean 'play'?"), ("exit", "no meaning in a configuration file"),
    ("board tset", "did you mean 'test'?"), ("button a gpoi x 1", "gpio"), ("play \"radio", "quote"),
    ("remove nothing", "no control"), ("cycle volume.maximum", "no choices"), ("show", "no meaning"),
    ("source x latency 300", "declare it first"), ("volume.maximum 40", "write 'set volume.maximum 40'"),
  ]) func wrongLinesAreReportedAndStay(line: String, words: String) throws {
    let box = "set fade.length 3\n"
    let card = "set fade.length 4\n\(line)\nset queue.repeat all\n"
    let (text, problems) = try merge(card, box: box)
    #expect(text == "set fade.length 4\nset queue.repeat all\n\(line)\n")
    #expect(problems.count == 1 && problems.first?.line == 2)
    let sentence = problems.first?.sentence ?? ""
    #expect(sentence.contains(words), "\(sentence)")
    let read = Configuration(Array(text.utf8), profile: Self.find)
    #expect(read.problems.map(\.line) == [3], "the daemon reports it, too")
    let mended = try merge("set fade.length 4\nset queue.repeat all\n", former: card, box: text)
    #expect(mended.text == "set fade.length 4\nset queue.repeat all\n" && mended.problems == [])
    // A setting that the user has saved since stays.
    let saved = try merge("set fade.length 4\n", former: card, box: text + "set volume.maximum 70\n")
    #expect(saved.text.contains("set volume.maximum 70\n"))
  }

  @Test func aSecondBoardIsWrong() throws {
    let (text, problems) = try merge(
      "board test\nboard other\nboard nothing\nboard test\n", box: "board other\n")
    #expect(text == "board test\nboard other\nboard nothing\n" && problems.map(\.line) == [2, 3])
    #expect(Configuration(Array(text.utf8), profile: Self.find).problems.map(\.line) == [2, 3])
  }

  /// Two misspelled boards on a box without a board: both are reported.
  @Test func eachMisspeltBoardIsReported() throws {
    let (text, problems) = try merge("board a\nboard b\n")
    #expect(text == "board a\nboard b\n" && problems.count == 2)
    #expect(Configuration(Array(text.utf8), profile: Self.find).problems.map(\.line) == [1, 2])
  }

  // MARK: Encodings

  private static func utf16(_ text: String, isLittle: Bool) -> [UInt8] {
    ([0xFEFF] + Array(text.utf16)).flatMap { unit in
      let bytes = [UInt8(unit & 0xFF), UInt8(unit >> 8)]
      return isLittle ? bytes : bytes.reversed()
    }
  }

  private static let text = "# Für Jörg 😀\r\nset discovery.name \"Jörgs 😀\"\r\n"

  @Test(arguments: [
    Array(text.utf8), [0xEF, 0xBB, 0xBF] + Array(text.utf8), utf16(text, isLittle: true),
    utf16(text, isLittle: false),
  ]) func editorsOfAllSystemsCanWriteIt(file: [UInt8]) throws {
    let merged = try CardConfiguration(card: file, former: [], box: [])
    #expect(String(decoding: merged.file, as: UTF8.self) == "set discovery.name \"Jörgs 😀\"\n")
    #expect(merged.problems == [])
  }

  @Test(arguments: [
    Array("set fade.length 3\0\n".utf8), [0x50, 0x4B, 0x03, 0x04],
    Array("{\\rtf1\\ansi set fade.length 3}".utf8),
    Array(utf16(text, isLittle: true).dropLast()), [0xFF, 0xFE, 0x00, 0xD8],
    [0xFF, 0xFE, 0x00, 0xDC, 0x0A, 0x00],
    [0xFF, 0xFE, 0x00, 0xD8, 0x41, 0x00],
    Array(String(repeating: "#", count: Configuration.maxFileBytes + 1).utf8),
    Array(String(repeating: "\n", count: Configuration.maxLines + 1).utf8),
    utf16(String(repeating: "ह", count: 30_000), isLittle: true),
  ]) func whatIsNoTextIsRefused(file: [UInt8]) {
    let error = #expect(throws: ConsoleError.self) { try CardConfiguration(card: file, former: [], box: []) }
    #expect(error?.sentence.hasPrefix("the file") == true)
  }

  /// A byte in another encoding invalidates only its line, and is ignored in a comment.
  @Test func aLetterOfAnotherEncodingSpoilsItsLine() throws {
    let odd = Array("set discovery.name J".utf8) + [0xF6] + Array("rg".utf8)
    let card = Array("# J".utf8) + [0xF6] + Array("rg\nset fade.length 3\n".utf8) + odd + [0x0A]
    let merged = try CardConfiguration(card: card, former: [], box: [])
    #expect(merged.file == Array("set fade.length 3\n".utf8) + odd + [0x0A])
    #expect(merged.problems.map(\.line) == [3])
    let mended = try CardConfiguration(card: Array("# none\n".utf8), former: card, box: merged.file)
    #expect(mended.file == Array("set fade.length 3\n".utf8))
  }

  @Test func aBoxWithoutRoomIsLeftAlone() {
    let lines = String(repeating: "# a line\n", count: Configuration.maxLines)
    #expect(throws: ConsoleError.self) { try merge("set fade.length 3\n", box: lines) }
    #expect(throws: ConsoleError.self) { try merge("set fade.length 3\n", box: lines + "# more\n") }
    let long = "# " + String(repeating: "x", count: Configuration.maxFileBytes)
    #expect(throws: ConsoleError.self) { try merge("set fade.length 3\n", box: long) }
  }

  // MARK: The report

  @Test func theReportIsForPeopleWithoutATerminal() throws {
    let (_, problems) = try merge("set volum.maximum 40\nset fade.length 3\nplay \"\u{85}radio\n")
    let report = String(decoding: CardConfiguration.report(problems, name: "swiftlet.conf"), as: UTF8.self)
    let lines = report.components(separatedBy: "\r\n")
    #expect(lines.first == "Swiftlet did not understand 2 lines of the file swiftlet.conf.")
    #expect(lines.contains("Line 1:  set volum.maximum …") && lines.contains("Line 3:  play …"))
    #expect(report.contains("did you mean 'volume.maximum'?\r\nWhat to do:  Write the suggested word"))
    #expect(!report.replacing("\r\n", with: "").contains { $0 == "\n" || $0 == "\r" })
    let whole = CardConfiguration.report([.init(ConsoleError(.malformed, "too long"))], name: "a.conf")
    #expect(String(decoding: whole, as: UTF8.self).hasPrefix("Swiftlet could not use the file a.conf.\r\n"))
  }

  // MARK: Arbitrary files

  private struct Writer {
    var generator: ShuffleGenerator

    private static let lines: [String] =
      Interpreter.commands.flatMap { $0.examples }
      + [
        "board test", "board other", "board nothing", "unset all", "eq clear", "# comment", "", "  ",
        "set fade.length 3", "set fade.length 4s", "SET fade.length 3", "unset fade.length",
        "set volume.maximum 40",
        "set volume.maximum 400", "set volum.maximum 3", "cycle queue.repeat", "cycle fade.length",
        "button play panel",
        "button play key mute", "button x panel", "remove play", "remove x", "bind x short next",
        "bind play press stop", "unbind play press", "unbind play", "bind x short pause", "timing x long 900",
        "timing all long 700", "source x alsa hw:1", "source x latency 300",
        "source x snapcast 10.0.0.2:1704",
        "source x format 48000", "led a gpio gpiochip0 5", "led a gpio gpiochip0 6", "volume 30",
        "play radio", "exit",
        "set console.pin 4711", "controls",
      ]

    mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }

    mutating func file() -> [UInt8] {
      var bytes: [UInt8] = []
      for _ in 0..<number(0..<12) {
        bytes += Array(Self.lines[number(0..<Self.lines.count)].utf8)
        if number(0..<40) == 0 { bytes.append(UInt8(number(0..<256))) }
        bytes += number(0..<6) == 0 ? [0x0D, 0x0A] : [0x0A]
      }
      return bytes
    }
  }

  @Test(arguments: 0..<4) func anyFilesMerge(seed: UInt64) throws {
    var writer = Writer(generator: ShuffleGenerator(seed: seed))
    var merged = 0
    for _ in 0..<250 {
      let (card, former) = (writer.file(), writer.file())
      let box = writer.file()
      if try Self.check(card: card, former: former, box: box) { merged += 1 }
    }
    #expect(merged > 200)
  }

  /// Whether the files could be merged.
  private static func check(card: [UInt8], former: [UInt8], box: [UInt8]) throws -> Bool {
    let files = "\(String(decoding: card, as: UTF8.self))--\n\(String(decoding: box, as: UTF8.self))"
    let result: CardConfiguration
    do {
      result = try CardConfiguration(card: card, former: former, box: box, profile: find)
    } catch {
      return false
    }
    let again = try CardConfiguration(card: card, former: former, box: result.file, profile: find)
    #expect(again.file == result.file && again.problems == result.problems, "\(files)")

    let (before, after) = (Configuration(box, profile: find), Configuration(result.file, profile: find))
    let lines = try CardText(card).lines
    let wrong = Set(result.problems.compactMap { $0.line })
    var named: [Setting: SettingValue?] = [:]
    var commands: [Command] = []
    var controls = after.controls
    for (index, line) in lines.enumerated() where !wrong.contains(index + 1) {
      switch try Interpreter.parse(line) {
      case .set(let setting, let value)?: named[setting] = .some(value)
      case .unset(let setting?)?: named[setting] = .some(Settings().value(setting))
      case .cycle(let setting)?: named[setting] = .some(nil)
      case .unset(nil)?: for setting in Setting.allCases { named[setting] = .some(Settings().value(setting)) }
      case .clearEqualizer?: for band in Setting.equalizer { named[band] = .some(Settings().value(band)) }
      case .controls(let command)?: try? controls.apply(command)
      case .board(let name)?: #expect(after.base.board == name, "\(files)")
      case .queue(.repeat(let mode))?: named[.queueRepeat] = .some(.choice(mode.name))
      case .queue(.shuffle(let isOn))?: named[.queueShuffle] = .some(.isOn(isOn))
      case let command?: if !commands.contains(command) { commands.append(command) }
      case nil: break
      }
    }
    for (setting, value) in named {
      if let value { #expect(after.settings.value(setting) == value, "\(setting.key)\n\(files)") }
    }
    if after.base.board == before.base.board {
      let others = after.settings.differences(from: before.settings).filter { named[$0] == nil }
      #expect(others == [], "\(files)")
    }
    #expect(controls.lines.sorted() == after.controls.lines.sorted(), "\(files)")
    for command in commands { #expect(after.commands.contains { $0.command == command }, "\(files)") }

    let reported = Set(after.problems.filter { $0.board == nil }.map { $0.line })
    let text = result.file.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) }
    for line in wrong {
      #expect(
        text.indices.contains { reported.contains($0 + 1) && trimmed(text[$0]) == lines[line - 1] },
        "\(files)")
    }
    let gone = Set((try? CardText(former))?.lines ?? []).subtracting(lines)
    for (index, line) in text.enumerated() where gone.contains(trimmed(line)) {
      #expect(!reported.contains(index + 1), "\(files)")
      #expect(!after.commands.contains { $0.line == index + 1 }, "\(files)")
    }
    return true
  }

  private static func trimmed(_ line: [UInt8]) -> [UInt8] {
    let blanks: Set<UInt8> = [0x20, 0x09, 0x0D]
    return Array(line.drop { blanks.contains($0) }.reversed().drop { blanks.contains($0) }.reversed())
  }

  @Test(arguments: 0..<4) func anyBytesMergeOrAreRefused(seed: UInt64) {
    var generator = ShuffleGenerator(seed: seed)
    for _ in 0..<300 {
      let files = (0..<3).map { _ in
        (0..<Int.random(in: 0..<200, using: &generator)).map { _ in
          UInt8.random(in: 0...255, using: &generator)
        }
      }
      _ = try? CardConfiguration(card: files[0], former: files[1], box: files[2], profile: Self.find)
      let marks: [UInt8] = [0xFF, 0xFE]
      _ = try? CardConfiguration(card: marks + files[0], former: files[1], box: files[2], profile: Self.find)
    }
  }
}
