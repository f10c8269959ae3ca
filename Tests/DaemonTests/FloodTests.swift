// Clients that send many lines at once: each client is served in turn, and each one's lines run in order.
// Test threads.

import Platform
import Testing

@testable import Simulator

@Suite struct FloodTests {
  private static let floods = 10
  private static let lines = 120

  private func count(_ word: String, in text: String) -> Int {
    text.split(separator: "\n").count { $0.hasPrefix(word) }
  }

  /// Ten sessions paste 120 lines each; a later session and a button are served before those lines are
  /// finished.
  @Test func aSessionIsAnsweredAmongTenThatPaste() throws {
    let bench = try Bench()
    _ = bench.ask("play long")
    let pasted = (0..<Self.floods).map { _ in bench.machine.listener.connect() }
    let late = bench.machine.listener.connect()
    bench.clock.run(seconds: 0.1)
    for wire in pasted { for _ in 0..<Self.lines { wire.type("volume") } }
    late.type("volume 33")
    var answers = [Int](repeating: 0, count: Self.floods)
    var turns = 0
    var said = ""
    while !said.contains("33 %"), turns < 1000 {
      let before = answers.reduce(0, +)
      bench.clock.turn(waits: false)
      turns += 1
      for (n, wire) in pasted.enumerated() { answers[n] += count("ok", in: wire.takeText()) }
      said += late.takeText()
      #expect(answers.reduce(0, +) - before <= RoundRobin.maxPieces)
      #expect(answers.max()! - answers.min()! <= 1, "a session was left behind: \(answers)")
    }
    #expect(answers.max()! <= 2, "the late session waited for \(answers)")
    bench.press(0)
    bench.clock.run(seconds: 5)
    for (n, wire) in pasted.enumerated() { answers[n] += count("ok", in: wire.takeText()) }
    #expect(answers.allSatisfy { $0 == Self.lines }, "\(answers)")
    #expect(bench.status("state") == "paused")
  }

  /// All lines of a paste run in order, even if the sender closes the connection right after it.
  @Test func aPasteIsRunToItsEnd() throws {
    let bench = try Bench()
    let wire = bench.machine.listener.connect()
    bench.clock.run(seconds: 0.1)
    for n in 1...300 { wire.type("volume \(n % 100)") }
    bench.clock.run(seconds: 1)
    let said = wire.takeText().split(separator: "\n").map(String.init)
    #expect(said == (1...300).map { "ok \($0 % 100) %" })
  }

  /// MPD clients, one of which may send a command list.
  @Test(arguments: [false, true]) func aClientIsAnsweredAmongTenThatFlood(isListed: Bool) throws {
    let bench = try MPDBench()
    let clients = (0..<Self.floods).map { _ in bench.greeted() }
    let late = bench.greeted()
    let flood = (0..<Self.lines).map { _ in "ping\n" }.joined()
    for client in clients {
      client.send(isListed ? "command_list_ok_begin\n" + flood + "command_list_end\n" : flood)
    }
    late.send("ping\n")
    var answers = [Int](repeating: 0, count: Self.floods)
    let word = isListed ? "list_OK" : "OK"
    var said = ""
    var turns = 0
    while said.isEmpty, turns < 1000 {
      bench.clock.turn(waits: false)
      turns += 1
      for (n, client) in clients.enumerated() { answers[n] += count(word, in: client.take()) }
      said = late.take()
    }
    #expect(said == "OK\n")
    // The simulated clock does not advance within a turn, so one turn runs its maximum number of commands.
    let share = RoundRobin.maxPieces / (Self.floods + 1) + 1
    #expect(
      answers.max()! - answers.min()! <= 1 && answers.max()! <= share + 1,
      "the late client waited for \(answers)")
    bench.clock.run(seconds: 1)
    for (n, client) in clients.enumerated() { answers[n] += count(word, in: client.take()) }
    #expect(answers.allSatisfy { $0 == Self.lines }, "\(answers)")
  }
}
