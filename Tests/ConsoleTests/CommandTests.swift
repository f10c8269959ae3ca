// Parsing of lines into commands, or into errors that help the user. Test threads.

import Console
import PlaybackModel
import Testing

private func refusal(_ line: String) -> ConsoleError? {
  do throws(ConsoleError) {
    _ = try Interpreter.parse(line)
    return nil
  } catch {
    return error
  }
}

private func band(
  _ setting: Setting, _ shape: EqualizerBand.Shape, _ frequency: Double, _ gain: Double = 0,
  _ quality: Double = 0.707
) -> Command {
  .set(setting, .band(EqualizerBand(shape, frequency: frequency, gain: gain, quality: quality)!))
}

private func position(_ number: Int) -> QueuePosition { QueuePosition(number: number)! }

@Suite struct CommandTests {
  @Test(
    arguments: [
      ("play", .play(path: nil)),
      ("PLAY \"Kind of Blue\"", .play(path: "Kind of Blue")),
      ("play Kind\\ of\\ Blue # the album", .play(path: "Kind of Blue")),
      ("play 'a \\'b\\' \"c\"'", .play(path: "a 'b' \"c\"")),
      ("play track#1.mp3", .play(path: "track#1.mp3")),
      ("play Größe/Ünïcode.flac\r", .play(path: "Größe/Ünïcode.flac")),
      ("\t next ", .next), ("skip", .next), ("quit", .exit), ("finish-fade", .finishFade),
      ("seek 90", .seek(.to(Seconds(90)))), ("seek 1:30", .seek(.to(Seconds(90)))),
      ("seek 1:00:00.5", .seek(.to(Seconds(3600.5)))), ("seek +10", .seek(.by(Seconds(10)))),
      ("seek -0:30", .seek(.by(Seconds(-30)))), ("seek 25%", .seek(.fraction(0.25))),
      ("volume", .volume(nil)), ("volume 40%", .volume(.to(40))), ("vol +5", .volume(.by(5))),
      ("volume -5", .volume(.by(-5))), ("volume down", .volume(.steps(-1))),
      ("crossfade 750ms", .set(.fadeLength, .decimal(0.75))),
      ("curve S-Curve", .set(.fadeCurve, .choice("s-curve"))),
      ("queue", .queue(.list(from: nil, count: nil))),
      ("queue list 20", .queue(.list(from: position(20), count: nil))),
      ("queue list 20 5", .queue(.list(from: position(20), count: 5))),
      ("queue add a \"b c\"", .queue(.add(paths: ["a", "b c"]))),
      ("queue insert next a", .queue(.insert(nil, path: "a", part: nil))),
      ("queue insert 2 a", .queue(.insert(position(2), path: "a", part: nil))),
      (
        "queue insert 2 a 5:10",
        .queue(.insert(position(2), path: "a", part: TrackRange(position(5), through: position(10))))
      ),
      (
        "queue insert next a 5:", .queue(.insert(nil, path: "a", part: TrackRange(position(5), through: nil)))
      ),
      ("queue move 5 1", .queue(.edit(.move(.position(position(5)), through: nil, to: position(1))))),
      (
        "queue move id:5 8 1", .queue(.edit(.move(.id(5), through: position(8), to: position(1))))
      ),
      ("queue swap 5 id:1", .queue(.edit(.swap(.position(position(5)), .id(1))))),
      (
        "queue edit 17 \"swap 5 id:1\" clear",
        .queue(.edits([.swap(.position(position(5)), .id(1)), .clear], ofVersion: 17))
      ),
      ("queue clear", .queue(.edit(.clear))), ("queue clear upcoming", .queue(.edit(.clearUpcoming))),
      ("queue shuffle yes", .queue(.shuffle(true))), ("queue repeat all", .queue(.repeat(.all))),
      ("sleep 30", .sleep(.after(minutes: 30))), ("sleep off", .sleep(.off)), ("sleep", .sleep(nil)),
      ("sleep track", .sleep(.behind(.track))), ("sleep QUEUE", .sleep(.behind(.queue))),
      ("set night.from 7:05", .set(.nightFrom, .timeOfDay(425))),
      ("set night.from OFF", .set(.nightFrom, .special)),
      ("set media.root /a '/b c'", .set(.mediaRoot, .list(["/a", "/b c"]))),
      ("set gain.preamp -3dB", .set(.gainPreamp, .decimal(-3))),
      ("eq", .equalizer), ("eq clear", .clearEqualizer), ("eq 1", .show(.one(.eq1))),
      ("eq 10 OFF", .set(.eq10, .special)), ("EQ 1 Peak 80hz +3dB q0.7", band(.eq1, .peak, 80, 3, 0.7)),
      ("eq 2 low-shelf 1.5kHz -24", band(.eq2, .lowShelf, 1500, -24)),
      ("set eq.2 notch 50 Q20", band(.eq2, .notch, 50, 0, 20)),
      ("eq 9 high-pass 12.34k", band(.eq9, .highPass, 12_340)),
      ("announce bell.wav", .announce(path: "bell.wav", volume: nil, .decibels(12))),
      ("announce \"the bell\" duck pause", .announce(path: "the bell", volume: nil, .pause)),
      ("announce a VOLUME 60% duck -20dB", .announce(path: "a", volume: 60, .decibels(20))),
      ("announce a duck 0 volume 0", .announce(path: "a", volume: 0, .decibels(0))),
      ("announce stop", .stopAnnouncements),
      ("announce ./stop", .announce(path: "./stop", volume: nil, .usual)),
      ("loudness", .cycle(.loudnessEnabled)), ("loudness on", .set(.loudnessEnabled, .isOn(true))),
      ("set speaker.high-pass 80Hz", .set(.speakerHighPass, .integer(80))),
      ("cycle queue.repeat", .cycle(.queueRepeat)), ("unset all", .unset(nil)),
      ("unset fade.curve", .unset(.fadeCurve)), ("show", .show(.all)), ("show fade", .show(.group("fade"))),
      ("show fade.curve", .show(.one(.fadeCurve))), ("watch", .watch(.changes)), ("watch on", .watch(.all)),
      ("watch off", .watch([])),
      ("watch Track state", .watch(EventSubjects([.state, .track]))),
      ("idle", .idle(.changes)), ("idle queue", .idle(EventSubjects([.queue]))),
      ("history", .history(count: 20)), ("log 256", .log(count: 256)), ("test leds", .test(.leds)),
      ("interruption end", .interruptionEnd(shouldResume: true)),
      ("interruption end stay", .interruptionEnd(shouldResume: false)), ("pin 1234", .pin("1234")),
      ("format json", .format(.json)), ("help", .help(.overview)),
      ("? queue add", .help(.command(["queue", "add"]))),
      ("help fade.length", .help(.setting(.fadeLength))), ("help settings", .help(.settings)),
      ("help skip", .help(.command(["next"]))),
    ] as [(String, Command)])
  func understands(line: String, command: Command) throws {
    #expect(try Interpreter.parse(line) == command)
  }

  @Test(arguments: ["", "   ", "# nothing", "\t#play", "\r"]) func blank(line: String) throws {
    #expect(try Interpreter.parse(line) == nil)
  }

  @Test(
    arguments: [
      ("plya", .unknownCommand, "did you mean 'play'", 1),
      ("xyzzy", .unknownCommand, "'help' lists", 1),
      ("  queue ad x", .unknownCommand, "did you mean 'add'", 9),
      ("interruption", .wrongUsage, "begin or end", nil),
      ("interruption ned", .unknownCommand, "did you mean 'end'", 14),
      ("seek", .wrongUsage, "usage: seek POSITION", nil),
      ("announce", .wrongUsage, "PATH is missing", nil),
      ("announce a volume", .wrongUsage, "PERCENT is missing", nil),
      ("announce a volume 101", .badValue, "'101' is not a volume", 19),
      ("announce a dukc 3", .badValue, "'dukc' is not volume or duck; did you mean", 12),
      ("announce a duck 61", .badValue, "'61' is not decibels", 17),
      ("seek 1:75", .badValue, "'1:75' is not a position", 6),
      ("seek nan", .badValue, "position", 6),
      ("seek -5%", .badValue, "position", 6),
      ("volume 101", .badValue, "from 0 to 100", 8),
      ("volume +-5", .badValue, "from 0 to 100", 8),
      ("volume uo", .badValue, "did you mean 'up'", 8),
      ("pause now", .wrongUsage, "one word too many", 7),
      ("play Kind of Blue", .wrongUsage, "in quotes", 11),
      ("play Don't", .malformed, "quote ' at column 9 is never closed", 9),
      ("play a\\", .malformed, "nothing follows", 7),
      ("set fade.lenght 5", .unknownSetting, "did you mean 'fade.length'", 5),
      ("set curve linear", .unknownSetting, "did you mean 'volume.curve'", 5),
      ("set zzz 5", .unknownSetting, "'show' lists", 5),
      ("set fade.length 16", .badValue, "fade.length cannot be '16': it is a number from 0 to 15 s", 17),
      ("set fade.length", .wrongUsage, "from 0 to 15 s", nil),
      ("set fade.length 5 6", .wrongUsage, "one too many", 17),
      ("set fade.curve equalpower", .badValue, "did you mean 'equal-power'", 16),
      ("set output.rate 1", .badValue, "'auto' is possible, too", 17),
      ("set media.root music", .badValue, "begins with /", 16),
      ("queue move 0 1", .badValue, "from 1 on", 12),
      ("sleep 0", .badValue, "from 1 to 1440", 7),
      ("reset fade.length", .wrongUsage, "'unset' puts settings back", 7),
      ("help plya", .badValue, "did you mean 'play'", 6),
      ("pl\u{7}ay", .malformed, "control character 0x07 at column 3", 3),
      ("ü\u{9B}", .malformed, "control character 0x9b at column 2", 2),
      ("eq 0", .badValue, "from 1 to 10", 4),
      ("eq claer", .badValue, "did you mean 'clear'", 4),
      ("eq 1 peek 80Hz +3dB", .badValue, "did you mean 'peak'", 6),
      ("eq 1 peak", .wrongUsage, "SHAPE FREQUENCY", nil),
      ("eq 1 peak 9Hz +3dB", .badValue, "from 10Hz to 20kHz", 6),
      ("eq 1 peak 21k +3dB", .badValue, "from 10Hz to 20kHz", 6),
      ("eq 1 peak 80Hz", .wrongUsage, "a gain, such as +3dB", nil),
      ("eq 1 peak 80Hz +13dB", .badValue, "from -24dB to +12dB", 6),
      ("eq 1 peak 80Hz +-3dB", .badValue, "from -24dB to +12dB", 6),
      ("eq 1 notch 80Hz -3dB", .badValue, "quality '-3dB'", 6),
      ("eq 1 notch 80Hz Q0", .badValue, "from Q0.1 to Q20", 6),
      ("eq 1 peak 80Hz 1 Q1 2", .badValue, "takes no '2'", 6),
      ("eq 1 peak nanHz 1", .badValue, "frequency", 6),
      ("pin 12", .badValue, "a PIN has 4 to 12 digits", 5),
      ("volume.maximum 60", .unknownCommand, "write 'set volume.maximum 60'", 1),
      ("set volume.maximum=60", .unknownSetting, "not '='; write 'set volume.maximum 60'", 5),
      ("set zzz\u{A0}5", .unknownSetting, "non-breaking blank", 5),
    ] as [(String, ConsoleError.Kind, String, Int?)])
  func explains(line: String, kind: ConsoleError.Kind, part: String, column: Int?) throws {
    let error = try #require(refusal(line))
    #expect(error.kind == kind)
    #expect(error.sentence.contains(part), "\(error.sentence)")
    #expect(error.column == column)
  }

  /// No session, log or report repeats a secret.
  @Test(arguments: secretLines + secretAddressLines) func errorsHideSecrets(line: String) {
    for line in [line, line + " moreThanOne"] {
      guard let error = refusal(line) else { continue }
      for text in [error.sentence, error.sentenceInFile ?? ""] {
        #expect(!text.contains("47110815"), "\(text)")
      }
    }
  }

  @Test(arguments: [
    [0xFF], [0x61, 0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0],
  ])
  func refusesNoise(line: [UInt8]) {
    #expect(throws: ConsoleError.self) { try Interpreter.parse(line) }
  }

  @Test func limits() throws {
    let longest = CommandLineText.maxLineLength
    let path = String(repeating: "a", count: longest - 5)
    #expect(try Interpreter.parse("play " + path) == .play(path: path))
    #expect(refusal("play a" + path)?.kind == .malformed)
    let most = CommandLineText.maxWords
    let words = Array(repeating: "a", count: most - 2)
    #expect(try Interpreter.parse("queue add " + words.joined(separator: " ")) == .queue(.add(paths: words)))
    #expect(refusal("queue add a " + words.joined(separator: " "))?.kind == .malformed)
    #expect(refusal("queue add a " + words.joined(separator: " ") + " ")?.kind == .malformed)
  }

  @Test(arguments: ["", "a b", "#a", "it's", "\"", "\\", "a\\ b", "plain", "ü'\"\\ #"])
  func quotingReadsBack(text: String) throws {
    let line = try CommandLineText(Array(CommandLineText.quoted(text).utf8))
    #expect(line.words.map(\.text) == [text])
    if !text.isEmpty { #expect(try Interpreter.parse(arguments: ["play", text]) == .play(path: text)) }
  }

  @Test func everyExampleWorks() throws {
    for command in Interpreter.commands {
      #expect(!command.examples.isEmpty)
      for example in command.examples {
        #expect(throws: Never.self, "\(example)") { try #require(try Interpreter.parse(example)) }
        #expect(example.hasPrefix(command.name), "\(example)")
      }
      for alias in command.aliases {
        let line = alias + command.examples[0].dropFirst(command.name.count)
        #expect(try Interpreter.parse(line) == Interpreter.parse(command.examples[0]))
      }
      #expect(!command.summary.isEmpty && command.summary.hasSuffix("."))
    }
    let names = Interpreter.commands.flatMap { [$0.name] + $0.aliases }
    #expect(Set(names).count == names.count)
  }
}
