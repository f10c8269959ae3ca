// A file name with terminal control sequences, through each interface that prints it. Test threads.

import ChildSupport
import Foundation
import Testing

@Suite struct HostileNameTests {
  /// Clear screen, set title, C1 controls, backspace, a line end that could start a forged response, DEL.
  private static let name = "a\u{1B}[2J\u{1B}]0;x\u{07}\u{9B}31m\u{08}\u{85}\nOK\u{7F}b.wav"

  private static func controls(_ text: String) -> [UInt32] {
    text.unicodeScalars.map(\.value).filter {
      ($0 < 0x20 && $0 != 0x0A && $0 != 0x0D) || (0x7F..<0xA0).contains($0)
    }
  }

  private static func check(
    _ text: String, _ entrance: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(controls(text).isEmpty, "\(entrance): \(text.debugDescription)", sourceLocation: sourceLocation)
  }

  @Test func aBoxPrintsNoOrders() throws {
    let bench = try Workbench()
    let music = bench.path("music")
    try FileManager.default.createDirectory(atPath: music + "/f\u{1B}[1m", withIntermediateDirectories: true)
    try Coded.track(1, seconds: 30).wav.write(to: URL(fileURLWithPath: music + "/" + Self.name))
    try Data("x".utf8).write(to: URL(fileURLWithPath: music + "/f\u{1B}[1m/damaged\u{1B}[0m.wav"))
    let port = ConfinementTests.freePort()
    let box = try BoxRig(
      [
        "set media.root \(music)", "set mpd.listen 127.0.0.1:\(port)", "set library.enabled on",
        "set log.level debug",
      ],
      bench: bench)
    try box.tell("play")
    try box.hears { $0.first?.track == 1 }
    for command in [
      "status", "current", "queue", "queue list 1 10", "history 20", "log 50", "media", "stats",
      "library faults",
      "report with paths", "playlist save x", "playlist show x", "sources", "controls",
    ] {
      // JSON responses may have several lines, so each format uses its own session.
      for format in ["text", "lines", "json"] {
        let session = try box.session()
        _ = try session.ask("format \(format)")
        let lines = try session.ask(command)
        Self.check(lines.joined(separator: "\n"), "\(command) as \(format)")
      }
    }
    let session = try box.session()
    _ = try session.ask("watch")
    try box.tell("next")
    while let line = session.line(seconds: 2) { Self.check(line, "watch") }
    let client = try ConfinementTests.client(bench, at: port)
    defer { close(client) }
    Self.check(ConfinementTests.line(client), "MPD's greeting")
    for command in [
      "status", "currentsong", "playlistinfo", "playlist", "lsinfo", "lsinfo \"f\u{1B}[1m\"", "listall",
      "listallinfo", "listfiles",
      "plchanges 0", "listplaylistinfo x", "search file \"\"", "find \"(file contains 'a')\"",
      "add \"no\u{1B}[2Jsuch\"",
      "nonsense\u{1B}[2J",
    ] {
      _ = (command + "\n").withCString { Glibc.send(client, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
      while true {
        let line = ConfinementTests.line(client)
        Self.check(line, "MPD's \(command)")
        if line.isEmpty || line == "OK\n" || line.hasPrefix("ACK") { break }
      }
    }
    Self.check(box.daemon.errorsSoFar, "the log")
  }

  @Test func programsPrintNoOrders() throws {
    let bench = try Workbench()
    try Sound.piece(seconds: 0.2).wav.write(to: bench.directory.appendingPathComponent("good.wav"))
    try Data("x".utf8).write(to: URL(fileURLWithPath: bench.path(Self.name)))
    for arguments in [
      ["play", "--output", "out.wav", Self.name, "good.wav"], ["probe", Self.name],
      ["play", "--device", Self.name, "good.wav"],
      ["ctl", "--socket", bench.path("none"), Self.name], ["help", Self.name], [Self.name],
    ] {
      let outcome = try bench.start(arguments).wait(seconds: 30)
      Self.check(outcome.output + outcome.errors, arguments.first ?? "")
    }
  }
}
