// `swiftlet play` in a terminal and in a pipeline: the live line, Ctrl-C, Ctrl-Z, a reader that exits. Test
// threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing

@Suite(.realTime) struct PlayTerminalTests {
  /// Plays to the null output in a terminal with a number of columns.
  private static func play(
    _ bench: Workbench, _ files: [String], columns: UInt16 = 80, _ options: [String] = []
  ) throws -> (desk: Pty, child: Child) {
    let desk = try Pty(at: bench.path("terminal"))
    desk.resize(columns: columns)
    let child = try bench.start(
      ["play", "--device", "null"] + options + files, terminal: bench.path("terminal"))
    return (desk, child)
  }

  @Test(arguments: [20, 40, 60, 80] as [UInt16]) func theLiveLineStaysOnItsLine(columns: UInt16) throws {
    let bench = try Workbench()
    let name = "夜明けのうたと長い長い題名のついた曲そのいち.wav"
    let file = try bench.write(Sound.piece(seconds: 20), as: name)
    let (desk, child) = try Self.play(bench, [file], columns: columns, ["--crossfade", "5"])
    #expect(desk.shows("0:01"), "\(desk.text)")
    desk.forget()
    #expect(desk.shows("0:02"))
    desk.take()
    kill(child.identifier, SIGTERM)
    #expect(child.wait(seconds: 20).status == 143)
    desk.take()
    let lines = desk.text.components(separatedBy: "\r\u{1B}[K").dropFirst().dropLast()
    #expect(!lines.isEmpty)
    for line in lines {
      let shown = line.replacingOccurrences(of: "\u{1B}[?7l", with: "")
        .replacingOccurrences(of: "\u{1B}[?7h", with: "")
      let width = shown.unicodeScalars.reduce(0) { $0 + ($1.value >= 0x3000 ? 2 : 1) }
      #expect(width < Int(columns) && !shown.contains("\n"), "\(width): \(shown)")
      #expect(columns < 40 || shown.contains("夜明け"), "\(shown)")
    }
  }

  /// On a narrow terminal, underruns are dropped first, then the curve, the bar, the fade and the volume; the
  /// title stays.
  @Test(
    arguments: [(110, 0), (85, 1), (72, 2), (60, 3), (41, 4)] as [(UInt16, Int)])
  func whatMattersLeastGoesFirst(columns: UInt16, gone: Int) throws {
    let bench = try Workbench()
    let file = try bench.write(Sound.piece(seconds: 20), as: "harbour.wav")
    let (desk, child) = try Self.play(bench, [file], columns: columns, ["--crossfade", "5"])
    #expect(desk.shows("0:01"), "\(desk.text)")
    desk.forget()
    #expect(desk.shows("0:02"))
    desk.take()
    kill(child.identifier, SIGTERM)
    #expect(child.wait(seconds: 20).status == 143)
    desk.take()
    let line = try #require(desk.text.components(separatedBy: "\r\u{1B}[K").dropFirst().dropLast().last)
    for (order, word) in ["xruns", "equal-power", "─", "fade 5s"].enumerated() {
      #expect(line.contains(word) == (order >= gone), "\(word) in \(line)")
    }
    #expect(line.contains("harbour.wav") && line.contains("vol "), "\(line)")
  }

  @Test func theTerminalGivesKeysAgainAfterAStop() throws {
    let bench = try Workbench()
    let file = try bench.write(Sound.piece(seconds: 60), as: "a.wav")
    let (desk, child) = try Self.play(bench, [file])
    #expect(desk.shows("0:01"))
    #expect(!desk.isCooked)
    kill(child.identifier, SIGSTOP)
    // Like the shell, which owns the terminal in the meantime.
    desk.cook()
    #expect(desk.isCooked)
    kill(child.identifier, SIGCONT)
    #expect(bench.waits { !desk.isCooked })
    desk.send(Array("q".utf8))
    #expect(child.wait(seconds: 20).status == 0)
    #expect(desk.isCooked)
  }

  @Test func ctrlCIsSaidInTheStatus() throws {
    let bench = try Workbench()
    let file = try bench.write(Sound.piece(seconds: 60), as: "a.wav")
    let (desk, child) = try Self.play(bench, [file])
    #expect(desk.shows("0:01"))
    kill(child.identifier, SIGINT)
    #expect(child.wait(seconds: 20).status == 130)
    #expect(desk.isCooked)
  }

  @Test func itEndsWhenNobodyReads() throws {
    let bench = try Workbench()
    let file = try bench.write(Sound.piece(seconds: 60), as: "a.wav")
    let child = try Child(
      URL(fileURLWithPath: "/bin/bash"),
      [
        "-c", "\"$0\" play --device null \"$1\" 2>/dev/null | head -n 1; echo ${PIPESTATUS[0]}",
        Workbench.executable.path, file,
      ], in: bench.directory, environment: [:])
    let outcome = child.wait(seconds: 20)
    #expect(!outcome.isCrash && outcome.output.hasSuffix("141\n"), "\(outcome)")
  }

  @Test(arguments: ["play", "probe"]) func namesGiveTheTerminalNoOrders(command: String) throws {
    let bench = try Workbench()
    let name = "a\u{1B}[31m\nb\u{9B}.wav"
    try bench.write(Sound.piece(seconds: 0.1), as: name)
    try bench.write(Data("no music".utf8), as: "bad" + name)
    let options = command == "play" ? ["--device", "null"] : []
    let outcome = try bench.start([command] + options + [name, "bad" + name]).wait(seconds: 30)
    let printed = outcome.output + outcome.errors
    #expect(printed.contains("a[31mb.wav") && printed.contains("bada[31mb.wav"), "\(outcome)")
    #expect(!printed.unicodeScalars.contains { $0.value == 0x1B || $0.value == 0x9B })
  }
}
