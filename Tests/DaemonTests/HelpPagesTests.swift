// Long help texts are paged on a serial console and sent at once to other clients. Test threads.

import Platform
import Testing

@testable import Daemon

@Suite struct HelpPagesTests {
  private func bench(_ lines: String = "") throws -> (Bench, ClientWire) {
    let bench = try Bench(Bench.storage("set console.tty /dev/ttyS0\n" + lines), hasSerialLine: true)
    bench.clock.run(seconds: 1)
    let line = try #require(bench.machine.serialLine)
    _ = line.takeText()
    return (bench, line)
  }

  /// Types a line and returns the lines that a terminal shows, without text that a carriage return
  /// overwrites.
  private func type(_ bench: Bench, _ line: ClientWire, _ text: String) -> [String] {
    line.type(text)
    bench.clock.run(seconds: 1)
    // Split by scalars, because CR LF is a single Character.
    return line.takeText().unicodeScalars.split(separator: "\n").map { row in
      let parts = row.split(separator: "\r", omittingEmptySubsequences: false)
      return String(String.UnicodeScalarView(parts.last { !$0.allSatisfy { $0 == " " } } ?? []))
    }
  }

  private func whole(_ bench: Bench, _ command: String) -> [String] {
    bench.ask(command).split(separator: "\n").map { String($0) }
  }

  @Test(arguments: [
    "help", "help all", "help settings", "help lights", "help queue", "help events", "help play",
  ])
  func pagesAreTheWholeAnswer(command: String) throws {
    let (bench, line) = try bench()
    let whole = whole(bench, command)
    // The first line is the echo.
    var shown = Array(type(bench, line, command).dropFirst())
    #expect(shown.count == min(whole.count, 22))
    while shown.count < whole.count {
      // Other sessions are served while a page is shown.
      #expect(bench.status("state") == "idle")
      let page = type(bench, line, "")
      #expect(page.count == min(22, whole.count - shown.count))
      guard !page.isEmpty else { break }
      shown += page
    }
    #expect(shown == whole)
    #expect(type(bench, line, "volume 33").contains { $0.contains("33 %") })
  }

  @Test(arguments: ["q", "Q", "\u{3}", "\u{4}"]) func theRestIsLeftOut(key: String) throws {
    let (bench, line) = try bench()
    #expect(type(bench, line, "help all").count == 23)
    #expect(type(bench, line, key).count <= 1)
    let answer = type(bench, line, "volume 33")
    #expect(answer.count <= 3 && answer.contains { $0.contains("33 %") }, "\(answer)")
  }

  /// An arrow key counts as one key; the line feed behind it is another one.
  @Test func anEscapeSequenceIsOneKey() throws {
    let (bench, line) = try bench()
    _ = type(bench, line, "help all")
    #expect(type(bench, line, "\u{1B}[B").count == 44)
  }

  @Test func programsGetEverything() throws {
    let (bench, line) = try bench()
    let whole = whole(bench, "help all")
    #expect(whole.count > 100)
    // Input typed ahead disables paging.
    let ahead = type(bench, line, "help all\rvolume 33") + type(bench, line, "")
    let volume = bench.status("volume")
    #expect(ahead.count > whole.count && volume == "33", "\(ahead.suffix(4))")
    _ = type(bench, line, "format json")
    let answer = type(bench, line, "help all")
    #expect(answer.contains { $0.contains("\"ok\":true") }, "\(answer)")
    #expect(type(bench, line, "volume 34").contains { $0.contains("34 %") })
  }

  @Test func aLockedConsoleForgetsThePages() throws {
    let (bench, line) = try bench("set console.pin 4711\n")
    _ = type(bench, line, "pin 4711")
    #expect(type(bench, line, "help all").count == 23)
    bench.clock.run(seconds: 601)
    let text = type(bench, line, "status")
    #expect(text.count <= 2 && text.contains { $0.contains("locked") }, "\(text)")
  }
}
