// Rate limiting of repeated log lines. Test threads.

import Testing

@testable import Daemon

@Suite struct LogTests {
  private let machine = SimulatedMachine(SimulatedStorage())
  private let log: Log

  init() { log = Log(machine) }

  @Test(arguments: [LogLevel.error, .warning]) func aFloodOfEqualLinesIsCounted(level: LogLevel) {
    for _ in 0..<500 {
      log.write(level, "it is broken")
      machine.clock.run(seconds: 0.01)
    }
    #expect(machine.logged == ["it is broken", "it is broken", "it is broken"])
    machine.clock.run(seconds: 60)
    #expect(machine.logged.dropFirst(3) == ["(497 times more within a minute, last 55 s ago) it is broken"])
    #expect(log.last(10).map { $0.text } == machine.logged, "consoles are shown the same")
    // After a minute the line is logged again.
    log.write(level, "it is broken")
    #expect(machine.logged.count == 5)
    machine.clock.run(seconds: 3600)
    #expect(machine.logged.count == 5, "nothing is said of what was said")
  }

  @Test func aFloodOfTwoLinesIsOneToo() {
    for _ in 0..<100 {
      log.write(.warning, "gone")
      log.write(.error, "broken")
    }
    machine.clock.run(seconds: 61)
    #expect(
      machine.logged.suffix(2)
        == [
          "(97 times more within a minute, last 60 s ago) gone",
          "(97 times more within a minute, last 60 s ago) broken",
        ])
    #expect(machine.logged.count == 8)
  }

  /// The count comes up to a minute later, under other lines: it says when its line was true.
  @Test func theCountNamesTheLastOccurrence() {
    for _ in 0..<5 {
      log.write(.warning, "gone")
      machine.clock.run(seconds: 2)
    }
    log.write(.info, "music plays")
    machine.clock.run(seconds: 60)
    #expect(machine.logged.last == "(2 times more within a minute, last 52 s ago) gone", "\(machine.logged)")
  }

  @Test func linesThatDifferAreWritten() {
    for number in 0..<200 { log.write(.error, "file \(number) is broken") }
    #expect(machine.logged.count == 200)
    // Rare lines are evicted by newer ones.
    for _ in 0..<100 { log.write(.error, "it is broken") }
    #expect(machine.logged.count == 203)
  }

  @Test func whatAPersonAskedForIsWritten() {
    for _ in 0..<20 { log.write(.info, "test: down play") }
    #expect(machine.logged.count == 20)
  }
}
