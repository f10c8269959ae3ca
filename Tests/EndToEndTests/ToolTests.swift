// Subcommands that do not play: `probe`, `codecs`, `states`, and help. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing

@Suite(.realTime) struct ToolTests {
  func run(_ bench: Workbench, _ arguments: String..., environment: [String: String] = [:]) throws -> Outcome
  {
    try bench.start(arguments, environment: environment).wait(seconds: 60)
  }

  @Test(arguments: [
    ("wav", "PCM", "16 bits"), ("aiff", "PCM", "16 bits"), ("flac", "FLAC", "16 bits"),
    ("ogg", "Vorbis", "lossy"), ("opus", "Opus", "lossy"), ("mp3", "MPEG", "lossy"),
    ("wv", "WavPack", "16 bits"), ("m4a", "AAC", "lossy"),
  ])
  func probeTellsWhatAFileIs(format: String, codec: String, sample: String) throws {
    let bench = try Workbench()
    try bench.write(try BadInputTests.original(format, bench), as: "mislabelled")
    let outcome = try run(bench, "probe", "mislabelled")
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
    let rate = format == "opus" ? 48000 : 44100
    #expect(outcome.output.contains("codec     \(codec)\n"), "\(outcome.output)")
    #expect(outcome.output.contains("samples   \(rate) Hz, stereo, \(sample)\n"), "\(outcome.output)")
    #expect(outcome.output.contains("length    0:00.500 (\(rate / 2) frames)\n"), "\(outcome.output)")
  }

  @Test func probeShowsTagsFitForATerminal() throws {
    let bench = try Workbench()
    let wav = try bench.write(Sound.piece(seconds: 0.1), as: "a.wav")
    try bench.tool(
      "flac", "-s", "-T", "TITLE=A\u{1B}[2Jb", "-T", "ARTIST=Jörg", "-T", "ALBUM=Album", "-T",
      "TRACKNUMBER=7",
      "-T", "REPLAYGAIN_TRACK_GAIN=-7.50 dB", wav, "-o", "a.flac")
    let outcome = try run(bench, "probe", "a.flac")
    for line in ["artist    Jörg", "album     Album", "track     7", "track     gain -7.50 dB"] {
      #expect(outcome.output.contains(line), "\(outcome.output)")
    }
    #expect(!outcome.output.contains("\u{1B}"))
  }

  @Test func probeShowsChaptersAndEveryValue() throws {
    let bench = try Workbench()
    let wav = try bench.write(Sound.piece(seconds: 0.1), as: "a.wav")
    try bench.tool(
      "flac", "-s", "-T", "ARTIST=Ann", "-T", "ARTIST=Zoë", "-T", "CHAPTER002=00:01:05.25", "-T",
      "CHAPTER002NAME=The \u{1B}[2Jend", "-T", "CHAPTER001=00:00:00.000", "-T", "CHAPTER001NAME=Beginning",
      wav,
      "-o", "a.flac")
    let outcome = try run(bench, "probe", "a.flac")
    #expect(outcome.output.contains("artist    Ann, Zoë\n"), "\(outcome)")
    let chapters = "chapter   1  0:00.000  Beginning\n  chapter   2  1:05.250  The  [2Jend\n"
    #expect(outcome.output.contains(chapters), "\(outcome)")
  }

  @Test func helpIsAboutEverythingAndGuesses() throws {
    let bench = try Workbench()
    let seek = try run(bench, "help", "seek")
    #expect(seek.status == 0 && seek.output.contains("seek POSITION"), "\(seek)")
    let play = try run(bench, "help", "play")
    #expect(play.output.contains("usage: swiftlet play") && play.output.contains("On the console"), "\(play)")
    #expect(try run(bench, "help").output.contains("swiftlet doctor"))
    for (word, hint) in [("sek", "'seek'"), ("dctor", "'doctor'")] {
      let unknown = try run(bench, "help", word)
      #expect(unknown.status == 64 && unknown.errors.contains("did you mean " + hint), "\(unknown)")
    }
    let command = try run(bench, "plya")
    #expect(command.status == 64 && command.errors.contains("did you mean 'play'?\n"), "\(command)")
  }

  /// The subcommands that the overview lists.
  private func subcommands(_ bench: Workbench) throws -> [String] {
    try run(bench, "help").output.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      return line.hasPrefix("  swiftlet ") && words.count > 1 ? String(words[1]) : nil
    }
  }

  @Test func everySubcommandExplainsItself() throws {
    let bench = try Workbench()
    let words = Set(try subcommands(bench))
    #expect(words.count > 12, "\(words)")
    for word in words {
      for option in ["--help", "-h"] {
        let outcome = try run(bench, word, option)
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(word): \(outcome)")
        #expect(
          outcome.output.contains("swiftlet " + (word == "help" ? "" : word)), "\(word): \(outcome.output)")
        for line in outcome.output.split(separator: "\n") {
          #expect(line.count < 80, "\(word) --help: \(line)")
        }
      }
      let help = try run(bench, "help", word)
      #expect(help.status == 0 && help.output.contains("swiftlet"), "\(help)")
      // Usage errors end with a single punctuation mark.
      let wrong = try run(bench, word, "--no-such-option", "x")
      #expect(!wrong.errors.contains("?.") && !wrong.errors.contains(".."), "\(word): \(wrong.errors)")
    }
  }

  /// The shell's completion offers all subcommands, and after `serve` all that the overview lists.
  @Test func completionOffersWhatTheOverviewLists() throws {
    let bench = try Workbench()
    func candidates(_ words: String...) throws -> Set<Substring> {
      let process = try bench.start(["help", "--words"] + words)
      return Set(process.wait(seconds: 20).output.split(separator: "\n"))
    }
    #expect(try candidates("").isSuperset(of: subcommands(bench).map { Substring($0) }))
    let overview = try run(bench, "help").output
    let services = Set(overview.matches(of: /swiftlet serve ([a-z]+)/).map { $0.output.1 })
    #expect(services.count >= 3)
    #expect(try candidates("serve", "") == services.union(["--help"]))
    #expect(try candidates("serve", "d") == services.filter { $0.hasPrefix("d") })
  }

  /// Each `swiftlet SUBCOMMAND` and `--option` that a text of the program recommends exists.
  @Test func everyAdviceNamesWhatExists() throws {
    let bench = try Workbench()
    let words = try subcommands(bench)
    var helps = try run(bench, "help").output
    for word in Set(words) { helps += try run(bench, word, "--help").output }
    for word in ["mpd", "mqtt", "discovery"] { helps += try run(bench, "serve", word, "--help").output }
    // Options that do not belong to `swiftlet`: of recommended programs, and of helpers that only the engine
    // starts.
    let foreign: Set = [
      "--help", "--lights", "--no-install-recommends", "--now", "--user", "--markdown", "--man", "--words",
    ]
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "../../Sources")
    let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    var literals = 0
    for case let file as URL in files where file.pathExtension == "swift" {
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      where !line.contains("//") {
        for literal in line.matches(of: /"((?:[^"\\]|\\.)*)"/).map({ String($0.output.1) }) {
          for match in literal.matches(of: /['`](?:sudo )?swiftlet ([a-z]+)/) {
            literals += 1
            let word = String(match.output.1)
            #expect(words.contains(word) || word == "worker", "\(file.lastPathComponent): \(literal)")
          }
          for match in literal.matches(of: /(?:^|[ (`'])(--[a-z][a-z-]+)/) where literal.contains(" ") {
            literals += 1
            let option = String(match.output.1)
            #expect(
              helps.contains(option) || foreign.contains(option), "\(file.lastPathComponent): \(literal)")
          }
        }
      }
    }
    #expect(literals > 20)
  }

  @Test func theDoctorSaysWhatToDoNext() throws {
    let bench = try Workbench()
    let lines = "set media.root \(bench.path("gone"))\nset nothing 1\nbutton play gpio gpiochip99 5\n"
    try bench.write(Data(lines.utf8), as: "box.conf")
    let outcome = try run(bench, "doctor", "--config=box.conf", "--socket", bench.path("none"))
    #expect(outcome.status == 1 && outcome.errors.isEmpty, "\(outcome)")
    for words in [
      "PROBLEM  configuration: box.conf, line 2", "PROBLEM  daemon: No daemon answers",
      "has no chip gpiochip99",
      "gone is not there", "\nNext, ",
    ] {
      #expect(outcome.output.contains(words), "\(words): \(outcome.output)")
    }
    let box = try BoxRig(bench: bench)
    let other = try run(bench, "doctor", "--config", box.configuration, "--socket", box.socket)
    #expect(other.output.contains("ok       daemon: answers"), "\(other)")
    #expect(other.output.contains("ok       output: ALSA"), "\(other)")
  }

  @Test func theResponseIsShownAndDrawn() throws {
    let bench = try Workbench()
    let lines =
      "eq 1 peak 80Hz +3dB Q0.7\nset speaker.high-pass 40\nset loudness.enabled on\nset output.rate 48000\n"
    try bench.write(Data(lines.utf8), as: "box.conf")
    let outcome = try run(bench, "eq", "--config", "box.conf", "--plot=out.svg")
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
    #expect(outcome.output.contains("peak 80Hz +3dB Q0.7") && outcome.output.contains("48000"), "\(outcome)")
    let svg = try String(contentsOf: bench.directory.appendingPathComponent("out.svg"), encoding: .utf8)
    #expect(svg.hasPrefix("<svg") && svg.hasSuffix("</svg>\n"))
    #expect(
      svg.components(separatedBy: "<polyline").count == 4, "the response, and the loudness at two volumes")
    // At 40 Hz the high-pass attenuates by 3 dB; at 20 kHz there is only the headroom.
    let points = try #require(svg.components(separatedBy: "points=\"")[1].components(separatedBy: "\"").first)
    #expect(points.split(separator: " ").count == 481)
    // The equalizer of a running daemon.
    let box = try BoxRig(bench: bench)
    #expect(try run(bench, "ctl", "--socket", box.socket, "eq", "4", "low-pass", "9kHz").status == 0)
    let live = try run(bench, "eq", "--socket", box.socket)
    #expect(live.status == 0 && live.output.contains("low-pass 9000Hz"), "\(live)")
    #expect(try run(bench, "eq", "--config", "none.conf").status == 66)
    #expect(try run(bench, "eq", "--rate", "1").status == 64)
  }

  @Test func probeNamesWhatItCannotRead() throws {
    let bench = try Workbench()
    try bench.write(Sound.piece(seconds: 0.1), as: "good.wav")
    try bench.write(Data(), as: "empty.wav")
    let outcome = try run(bench, "probe", "gone.wav", "empty.wav", "good.wav")
    #expect(outcome.status == 1)
    #expect(outcome.reports("gone.wav") && outcome.reports("empty.wav", "empty"))
    #expect(outcome.output.hasPrefix("good.wav\n"))
    #expect(try run(bench, "probe").status == 64)
  }

  @Test(arguments: [
    (Misdeed.crash, "crash"), (.openFile, "forbid"), (.exit, "without a word"), (.protected, "locked"),
  ])
  func probeSurvivesHostileDecoders(misdeed: Misdeed, word: String) throws {
    let bench = try Workbench()
    // The misbehavior starts when the file is opened, or never, because the probe does not decode.
    try bench.write(misdeed.file(when: 0, frames: 1000), as: "hostile.swtest")
    let outcome = try run(bench, "probe", "hostile.swtest", environment: try bench.hostileEnvironment())
    #expect(!outcome.isCrash && (0...1).contains(outcome.status), "\(outcome)")
    if outcome.status == 1 { #expect(outcome.reports("hostile.swtest", word), "\(outcome)") }
    #expect((outcome.status == 1) == (misdeed == .protected), "\(outcome)")
  }

  @Test func codecsListsThemAll() throws {
    let bench = try Workbench()
    let outcome = try run(bench, "codecs")
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
    for name in ShippedCodecs.names {
      #expect(("\n" + outcome.output).contains("\n\(name) "), "\(outcome.output)")
    }
    for suffix in ["wav", "aiff", "flac", "ogg", "opus", "mp3", "wv", "m4a", "aac"] {
      #expect(outcome.output.contains(" \(suffix)"), "\(outcome.output)")
    }
  }

  @Test func codecsReportsWhatIsNotUsable() throws {
    let bench = try Workbench()
    let folder = bench.directory.appendingPathComponent("codecs")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    #expect(try run(bench, "codecs", folder.path).status == 1)
    try Data("no library".utf8).write(to: folder.appendingPathComponent("libSwiftletCodecBad.so"))
    let outcome = try run(bench, "codecs", folder.path)
    #expect(outcome.status == 1 && outcome.reports("libSwiftletCodecBad.so", "not usable"), "\(outcome)")
    // Also the plugins that playback would load.
    let environment = ["SWIFTLET_CODECS": folder.path]
    let other = try run(bench, "codecs", environment: environment)
    #expect(other.status == 1 && other.reports("libSwiftletCodecBad.so", "not usable"), "\(other)")
  }

  /// The library is missing or invalid.
  @Test func mqttNamesThePackageThatIsMissing() throws {
    let bench = try Workbench()
    try Data("no library".utf8).write(to: bench.directory.appendingPathComponent("libmosquitto.so.1"))
    let outcome = try run(
      bench, "serve", "mqtt", "--host", "broker.invalid",
      environment: ["LD_LIBRARY_PATH": bench.directory.path])
    #expect(outcome.status == 69 && outcome.errors.contains("libmosquitto1"), "\(outcome)")
  }

  @Test(arguments: [([], "| event"), (["--dot"], "digraph"), (["--svg"], "<svg")])
  func statesPrintsTableAndDiagram(arguments: [String], word: String) throws {
    let bench = try Workbench()
    let outcome = try bench.start(["states"] + arguments).wait(seconds: 20)
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    #expect(outcome.output.lowercased().contains(word), "\(outcome.output.prefix(400))")
    for state in ["idle", "crossfadePaused", "fadingOut", "failed"] {
      #expect(outcome.output.contains(state), "\(state) is not in it")
    }
  }

  @Test(arguments: [
    [], ["dance"], ["states", "--png"], ["states", "--dot", "--svg"], ["worker"], ["worker", "x"],
    ["serve"], ["serve", "tea"], ["serve", "mqtt"], ["serve", "mqtt", "--host", "h", "--port", "0"],
    ["serve", "mqtt", "--host", "h", "--prefix", "a/#"],
    ["serve", "mqtt", "--host", "h", "--discovery", "a/b"],
  ])
  func wrongUsageIsStatus64(arguments: [String]) throws {
    let bench = try Workbench()
    let outcome = try bench.start(arguments).wait(seconds: 20)
    #expect(outcome.status == 64 && !outcome.isCrash, "\(outcome)")
    #expect(outcome.errors.contains("swiftlet"), "\(outcome)")
  }

  @Test(arguments: [["help"], ["--help"], ["version"], ["--version"], ["play", "--help"]])
  func helpAndVersionArePrinted(arguments: [String]) throws {
    let bench = try Workbench()
    let outcome = try bench.start(arguments).wait(seconds: 20)
    #expect(
      outcome.status == 0 && outcome.output.contains("swiftlet") && outcome.errors.isEmpty, "\(outcome)")
  }
}
