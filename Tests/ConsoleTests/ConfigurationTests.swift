// Configuration files with errors: valid lines still apply. Test threads.

import Console
import Foundation
import PlaybackModel
import Testing

@Suite struct ConfigurationTests {
  @Test func badLinesAreSkippedAndNamed() {
    let file = Configuration(
      Array(
        """
        \u{FEFF}# the kitchen
        set fade.length 5
        set fade.lenght 7\r
        queue repeat all

        set volume.maximum 200
        volume 30
        exit
        cycle queue.shuffle
        play "/srv/music
        unset fade.length
        """.utf8))
    #expect(file.settings.fadeLength == .zero)
    #expect(file.settings.isShuffled && file.settings.repeatMode == .all)
    #expect(file.commands.map(\.command) == [.volume(.to(30))])
    #expect(file.commands.map(\.line) == [7])
    #expect(file.problems.map(\.line) == [3, 6, 8, 10])
    #expect(
      file.problems[0].sentence.contains("line 3: ") && file.problems[0].sentence.contains("fade.length"))
  }

  /// The default configuration of a new box contains only the volume curve.
  @Test func theConfigurationOfANewBoxChoosesTheEvenCurve() throws {
    let path = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../packaging/swiftlet.conf")
    let file = Configuration([UInt8](try Data(contentsOf: path)))
    var expected = Settings()
    try expected.set("volume.curve", "even")
    #expect(file.problems.isEmpty && file.commands.isEmpty && file.settings == expected)
    #expect(Settings() != expected)
  }

  @Test func savedSettingsReadBack() throws {
    var settings = Settings()
    try settings.set("media.root", "/a b", "/c")
    try settings.set("night.from", "22:30")
    let file = Configuration(Array(ConfigurationBase().configuration(settings, ControlTable()).utf8))
    #expect(file.settings == settings)
    #expect(file.problems.isEmpty && file.commands.isEmpty)
  }

  @Test func bounded() {
    let lines = Configuration(Array(String(repeating: "plya\n", count: 5000).utf8))
    #expect(lines.problems.count == Configuration.maxLines + 1)
    #expect(lines.problems.last?.error.sentence.contains("1000 lines") == true)
    var long = Array("set fade.length 3\n".utf8)
    long += [UInt8](repeating: 0x23, count: Configuration.maxFileBytes)
    let file = Configuration(long)
    #expect(file.settings.fadeLength == Seconds(3))
    #expect(file.problems.map(\.line) == [2])
    let exact = Configuration(Array("next\n".utf8) + [UInt8](repeating: 0x20, count: 1000))
    #expect(exact.commands.count == 1 && exact.problems.isEmpty)
    #expect(Configuration([]).settings == Settings())
  }
}

@Suite struct PINGateTests {
  @Test func waitsGrowAndEnd() {
    var gate = PINGate(pin: "4711")
    #expect(!gate.isOpen)
    #expect(gate.refusal(of: .status)?.isOK == false)
    #expect(gate.refusal(of: .pin("1")) == nil)
    var now = 100.0
    var waits: [Double] = []
    for _ in 0..<20 {
      guard case .wrong(let wait) = gate.enter("0000", now: now) else {
        Issue.record("not wrong")
        return
      }
      waits.append(wait)
      if wait > 0 {
        // Too early: neither the right PIN nor further attempts have an effect.
        for _ in 0..<5 { #expect(gate.enter("4711", now: now + wait - 0.01) != .open) }
      }
      now += wait
    }
    #expect(waits.prefix(6) == [0, 0, 1, 2, 4, 8])
    #expect(waits.last == PINGate.maxWait)
    #expect(gate.enter("4711", now: now) == .open)
    #expect(gate.refusal(of: .status) == nil)
    gate.lock()
    #expect(!gate.isOpen)
    #expect(gate.enter("4712", now: now) == .wrong(wait: 0))
  }

  @Test(arguments: ["", "471", "47111", "47114711", "4712"]) func refuses(typed: String) {
    var gate = PINGate(pin: "4711")
    #expect(gate.enter(typed, now: 0) != .open)
    #expect(!gate.isOpen)
  }

  @Test func noPINIsOpen() {
    var gate = PINGate(pin: nil)
    #expect(gate.isOpen && gate.enter("1234", now: 0) == .open)
    gate.lock()
    #expect(gate.isOpen)
  }

  @Test func savingKeepsWhatSomeoneWrote() throws {
    let old =
      "# My box\nset fade.length 5  # long\n\nset nonsense 3\nvolume 30\nset volume.maximum 80\nset mono.x\n"
    let read = Configuration(Array(old.utf8))
    var settings = read.settings
    func saved() -> String {
      String(decoding: read.base.edited(Array(old.utf8), settings, read.controls) { _ in nil }, as: UTF8.self)
    }
    #expect(saved() == old)
    try settings.set("fade.length", "7")
    settings.unset(.volumeMaximum)
    try settings.set("queue.repeat", "all")
    #expect(
      saved()
        == "# My box\nset fade.length 7\n\nset nonsense 3\nvolume 30\nset mono.x\nset queue.repeat all\n")
  }

  /// A line with the short form of a setting is replaced by the value that was set since, like one with `set`.
  @Test(arguments: [
    ("queue repeat all", "queue.repeat", "one"), ("repeat all", "queue.repeat", "off"),
    ("queue shuffle on", "queue.shuffle", "off"), ("random on", "queue.shuffle", "off"),
    ("crossfade 5", "fade.length", "7"), ("loudness on", "loudness.enabled", "off"),
    ("set queue.repeat all", "queue.repeat", "one"),
  ]) func savingReplacesShortForms(line: String, key: String, value: String) throws {
    let old = Array(("# mine\n" + line + "\nset volume.step 3\n").utf8)
    let read = Configuration(old)
    #expect(read.commands.isEmpty && read.problems.isEmpty)
    #expect(read.base.edited(old, read.settings, read.controls) { _ in nil } == old)
    var settings = read.settings
    try settings.set(key, value)
    let saved = read.base.edited(old, settings, read.controls) { _ in nil }
    let again = Configuration(saved)
    #expect(again.settings == settings && again.commands.isEmpty, "\(String(decoding: saved, as: UTF8.self))")
    #expect(String(decoding: saved, as: UTF8.self).hasPrefix("# mine\n"))
  }

  /// A misspelled board, explicitly written defaults, and comments are kept, however often the file is saved.
  @Test(arguments: [
    "# my box\nboard raspbery-pi-4\nset output.device null\nset fade.length 3\n",
    "set media.root /srv/music\n",
    "set fade.length 0\n# end\n", "unset volume.maximum\n",
    "board nothing\nset volume.maximum 100\nset night.to 07:00\n",
    "set eq.1 off\nset queue.shuffle off\n", "board a\nboard b\n",
  ]) func linesOfAPersonStay(old: String) throws {
    let read = Configuration(Array(old.utf8))
    let text = read.base.edited(Array(old.utf8), read.settings, read.controls) { _ in nil }
    #expect(text == Array(old.utf8))
    var settings = read.settings
    try settings.set("queue.repeat", "all")
    let changed = read.base.edited(Array(old.utf8), settings, read.controls) { _ in nil }
    #expect(changed == Array((old + "set queue.repeat all\n").utf8))
    #expect(Configuration(changed).settings == settings)
  }

  /// A changed value replaces its line, although that line once had the default.
  @Test func linesThatAreWrongNowAreChanged() throws {
    let old = "set fade.length 0\nset fade.length 3\nset volume.maximum 100\n"
    let read = Configuration(Array(old.utf8))
    var settings = read.settings
    try settings.set("volume.maximum", "80")
    let text = read.base.edited(Array(old.utf8), settings, read.controls) { _ in nil }
    #expect(Configuration(text).settings == settings)
    #expect(text == Array("set fade.length 3\nset fade.length 3\nset volume.maximum 80\n".utf8))
  }

  /// An invalid value is replaced once the user has set a valid one; until then its line stays unchanged.
  @Test(arguments: [
    ("set volume.maximum 900\n", "set volume.maximum 80\n"),
    ("set volume.maximum 900\nset volume.maximum 80\n", "set volume.maximum 900\nset volume.maximum 80\n"),
    ("set volum.maximum 80\n", "set volum.maximum 80\nset volume.maximum 80\n"),
  ])
  func savingMendsAValue(old: String, saved: String) throws {
    var settings = Settings()
    try settings.set("volume.maximum", "80")
    let text = ConfigurationBase().edited(Array(old.utf8), settings, ControlTable()) { _ in nil }
    #expect(text == Array(saved.utf8))
    let odd = Array("set discovery.name M".utf8) + [0xFC] + Array("ller\n".utf8)
    let kept = ConfigurationBase().edited(odd, Settings(), ControlTable()) { _ in nil }
    #expect(kept == odd)
  }

  @Test(arguments: [
    "button a key mute\nbind a short pause\n# end\n", "bind play press stop\nunbind play press\nboard test\n",
    "remove play\nboard test\nbutton play key playpause\n",
  ]) func whatIsSavedIsReadAsItWas(old: String) throws {
    let profile: @Sendable (String) -> [UInt8]? = { $0 == "test" ? Array(Self.profile.utf8) : nil }
    let read = Configuration(Array(old.utf8), profile: profile)
    var controls = read.controls
    for line in ["button b panel", "bind b short next", "unbind play", "bind play long stop", "remove next"] {
      guard case .controls(let command)? = try Interpreter.parse(line) else { continue }
      try? controls.apply(command)
    }
    let text = read.base.edited(Array(old.utf8), read.settings, controls, profile: profile)
    let again = Configuration(text, profile: profile)
    #expect(
      again.controls.lines == controls.lines && again.problems.isEmpty,
      "\(String(decoding: text, as: UTF8.self))")
  }

  private static let profile = """
    set volume.maximum 60
    button play panel
    button next panel
    bind play press toggle
    bind next short next
    """

  @Test func aBoardsProfileComesFirstWhereverItIsNamed() throws {
    let text = "set volume.maximum 40\nbind play press stop\nboard test\nset fade.length 5\n"
    let read = Configuration(Array(text.utf8)) { $0 == "test" ? Array(Self.profile.utf8) : nil }
    #expect(read.problems.isEmpty && read.base.board == "test")
    #expect(read.settings.maximumVolume == 40)
    #expect(
      read.controls.lines.contains("bind play press stop")
        && read.controls.lines.contains("bind next short next"))
    let two = Configuration(Array("board test\nboard other\n".utf8)) { _ in [] }
    #expect(two.problems.count == 1)
  }
}
