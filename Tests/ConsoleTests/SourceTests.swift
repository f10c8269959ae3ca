// Live sources as commands: how they are declared, saved and refused. Test threads.

import Console
import Controls
import PlaybackModel
import Testing

@Suite struct SourceTests {
  private func read(_ lines: [String], profile: [String] = []) -> Configuration {
    let text = Array(profile.joined(separator: "\n").utf8)
    return Configuration(Array(lines.joined(separator: "\n").utf8)) { _ in text }
  }

  private static let everything = [
    "source airplay exec \"shairport-sync -o stdout --metadata-pipename \\\"/run/a b\\\"\"",
    "source airplay takes-over idle",
    "source bluetooth fifo \"/run/a fifo\"",
    "source bluetooth latency 400",
    "source line-in alsa plughw:1,0",
    "source line-in format 48000:24:2",
    "source line-in takes-over never",
    "source kitchen snapcast 192.168.1.20:1705",
    "source kitchen takes-over idle",
  ]

  @Test func linesMakeWhatTheyWereMadeFrom() throws {
    let first = read(Self.everything)
    try #require(first.problems.isEmpty, "\(first.problems)")
    let sources = first.controls.sources
    #expect(sources.map { $0.name.text } == ["airplay", "bluetooth", "line-in", "kitchen"])
    #expect(sources[0].source.origin == .command("shairport-sync -o stdout --metadata-pipename \"/run/a b\""))
    #expect(sources[0].source.takesOver == .idle && sources[0].source.format == .usual)
    #expect(sources[1].source.origin == .fifo("/run/a fifo") && sources[1].source.delay == 400)
    #expect(sources[2].source.format == LiveFormat("48000:24:2") && sources[2].source.takesOver == .never)
    #expect(
      sources[3].source.origin == .snapcast("192.168.1.20:1705") && sources[3].source.takesOver == .idle)
    #expect(read(first.controls.lines).controls == first.controls)
    #expect(first.controls.lines.filter { $0.hasPrefix("source") }.count == Self.everything.count)
  }

  @Test func whatDiffersFromAProfileIsSaved() throws {
    let changed = read(
      ["board desk", "source airplay latency 300", "source line-in alsa hw:2", "remove bluetooth"],
      profile: Self.everything)
    try #require(changed.problems.isEmpty, "\(changed.problems)")
    let text = changed.base.configuration(changed.settings, changed.controls)
    let again = read(text.split(separator: "\n").map(String.init), profile: Self.everything)
    #expect(again.problems.isEmpty && again.controls == changed.controls, "\(text)")
    #expect(text.contains("remove bluetooth") && !text.contains("exec"))
  }

  /// A redeclared source starts with the defaults; there are at most eight sources.
  @Test func declaringAnewBeginsAnew() throws {
    let file = read(["source a alsa hw:1", "source a latency 900", "source a alsa hw:2"])
    #expect(file.controls.sources.map { $0.source.delay } == [250])
    let many = read((1...9).map { "source s\($0) alsa hw:\($0)" })
    #expect(many.controls.sources.count == 8 && many.problems.count == 1)
    #expect(many.problems[0].sentence.contains("8 sources"))
    #expect(read(["source a latency 300"]).problems[0].sentence.contains("there is no source 'a'"))
    #expect(read(["source a alsa hw:1", "remove a"]).controls.sources.isEmpty)
  }

  @Test(arguments: [
    ("192.168.1.20", "192.168.1.20:1704"), ("127.0.0.1:99", "127.0.0.1:99"), ("fd00::20", "[fd00::20]:1704"),
    ("[::1]:5", "[::1]:5"),
  ]) func aServerIsNamedByItsAddress(word: String, address: String) {
    #expect(
      read(["source a snapcast \(word)"]).controls.sources.map { $0.source.origin } == [.snapcast(address)])
  }

  /// A Snapcast source has the format of its server.
  @Test func aRoomHasNoFormatOfItsOwn() {
    let problems = read(["source a snapcast ::1", "source a format 48000:16:2"]).problems
    #expect(problems.map { $0.sentence.contains("the format that its server sends") } == [true])
  }

  @Test(arguments: [
    "source", "source a", "source a exec", "source a exec \"\"", "source a fifo run/a", "source a alsa \"\"",
    // With these names ALSA would open files and start programs.
    "source a alsa \"file:'|reboot',raw\"", "source a alsa file:x,raw", "source a alsa \"{ type file }\"",
    "source a alsa tee:default,x", "source a alsa plug:/etc/passwd",
    "source a format 44100", "source a format 44100:8:2", "source a takes-over sometimes",
    "source a latency 199", "source a latency 2001", "source a louder 3",
    "source a snapcast", "source a snapcast server..local", "source a snapcast 1.2.3.4:0",
    "source a snapcast 1.2.3.4:99999", "source 1 alsa hw:1", "listen",
  ])
  func whatCannotBeIsRefused(line: String) {
    #expect(throws: ConsoleError.self) { try Interpreter.parse(line) }
  }

  @Test func onlyWhatRunsAProgramIsKeptFromTheConsole() throws {
    guard case .controls(.source(_, let program))? = try Interpreter.parse("source a exec reboot"),
      case .controls(.source(_, let device))? = try Interpreter.parse("source a alsa hw:1")
    else {
      Issue.record("they are not understood")
      return
    }
    #expect(program.runsProgram && !device.runsProgram)
    #expect(throws: ConsoleError.self) { try Interpreter.parse("bind play press \"source a exec reboot\"") }
  }
}
