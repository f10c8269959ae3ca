// The PIN of the serial console: set at run time, not echoed, locked when idle, and silent while locked. Test
// threads.

import Testing

@testable import Daemon

@Suite struct PINTests {
  private static func bench(_ lines: String = "") throws -> (Bench, ClientWire) {
    let bench = try Bench(Bench.storage("set console.tty /dev/ttyS0\n" + lines), hasSerialLine: true)
    bench.clock.run(seconds: 1)
    return (bench, try #require(bench.machine.serialLine))
  }

  private func ask(_ bench: Bench, _ line: ClientWire, _ text: String) -> String {
    line.type(text)
    bench.clock.run(seconds: 1)
    return line.takeText()
  }

  @Test func aPINThatIsSetCountsAtOnce() throws {
    let (bench, line) = try Self.bench()
    #expect(ask(bench, line, "status").contains("idle"))
    let answer = bench.ask("set console.pin 4711")
    #expect(answer.contains("****") && !answer.contains("4711"), "\(answer)")
    for command in ["show console.pin", "diff", "show"] { #expect(!bench.ask(command).contains("4711")) }
    #expect(ask(bench, line, "status").contains("locked"))
    #expect(ask(bench, line, "pin 4711").contains("unlocked"))
    #expect(ask(bench, line, "status").contains("idle"))
    _ = bench.ask("unset console.pin")
    #expect(ask(bench, line, "status").contains("idle"))
  }

  /// Access to the socket is controlled by the permissions of its file; its sessions need no PIN.
  @Test func theSocketNeedsNoPIN() throws {
    let (bench, line) = try Self.bench("set console.pin 4711\n")
    #expect(ask(bench, line, "volume 33").contains("locked"))
    #expect(bench.ask("volume 33").hasPrefix("ok") && bench.ask("set fade.length 3").hasPrefix("ok"))
    #expect(ask(bench, line, "status").contains("locked"))
  }

  /// Each wrong PIN is logged, at the rate that the delays allow, without the typed text.
  @Test func wrongPINsAreLogged() throws {
    let (bench, line) = try Self.bench("set console.pin 4711\n")
    for number in 0..<50 { _ = ask(bench, line, "pin \(1000 + number)") }
    let lines = bench.machine.logged.filter { $0.contains("wrong PIN") }
    #expect((3...10).contains(lines.count) && !lines.joined().contains("10"), "\(lines)")
  }

  @Test func aConsoleThatNobodyUsesIsLockedAgain() throws {
    let (bench, line) = try Self.bench("set console.pin 4711\n")
    #expect(ask(bench, line, "pin 4711").contains("unlocked"))
    bench.clock.run(seconds: 500)
    #expect(ask(bench, line, "status").contains("idle"))
    bench.clock.run(seconds: 601)
    #expect(ask(bench, line, "status").contains("locked"))
  }

  @Test func aLockedConsoleShowsNoLog() throws {
    let (bench, line) = try Self.bench("set console.pin 4711\n")
    _ = line.takeText()
    _ = bench.ask("play nothing")
    _ = bench.ask("play short")
    bench.clock.run(seconds: 60)
    #expect(line.takeText() == "")
    _ = ask(bench, line, "pin 4711")
    _ = ask(bench, line, "watch on")
    _ = bench.ask("volume 33")
    #expect(line.takeText().contains("volume"))
    bench.clock.run(seconds: 601)
    _ = line.takeText()
    _ = bench.ask("volume 44")
    #expect(line.takeText() == "")
  }

  @Test(arguments: [
    "console.pin 4711", "mpd.password word", "mqtt.password word", "stream.proxy http://me:word@proxy:3128",
  ])
  func aFileWithASecretIsItsOwners(setting: String) throws {
    let bench = try Bench()
    _ = bench.ask("save")
    #expect(bench.machine.storage.privateFiles.isEmpty)
    _ = bench.ask("set \(setting)")
    #expect(bench.ask("save").contains("written"))
    #expect(bench.machine.storage.privateFiles == ["/etc/box.conf"])
    _ = bench.ask("volume 20")
    _ = bench.ask("save")
    #expect(bench.machine.storage.privateFiles == ["/etc/box.conf", "/etc/box.conf.bak"])
  }
}
