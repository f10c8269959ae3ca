// A board without network and clock module: its time of day may be wrong, and responses that depend on it say
// so. Test threads.

import Console
import Testing

@testable import Daemon
@testable import Simulator

@Suite struct UnknownClockTests {
  private func bench(_ lines: String = "", isTrusted: Bool = false) throws -> Bench {
    let storage = Bench.storage(lines)
    storage.isClockTrusted = isTrusted
    return try Bench(storage)
  }

  /// Commands whose responses depend on the time of day, and commands whose responses do not.
  private static let (dependent, independent) = (
    [
      "alarm 07:00 daily play long", "alarm", "alarm remove 1", "limits", "limits lift 5",
      "set night.from 20:00",
      "unset night.from", "set limits.daily 30", "set limits.quiet-from 20:00",
    ], ["status", "play long", "set fade.length 3", "set alarm.volume 30", "volume 20", "show night"]
  )

  @Test func theBoxSaysSoWhereItMatters() throws {
    let bench = try bench()
    #expect(bench.status("clock")?.hasPrefix("not known, since neither a network") == true)
    #expect(bench.machine.logged.contains { $0.hasPrefix("The time of day is not known") })
    for line in Self.dependent {
      let answer = bench.ask(line)
      #expect(answer.contains("ok") && answer.contains("the time of day is not known"), "\(line): \(answer)")
    }
    for line in Self.independent {
      let answer = bench.ask(line)
      #expect(!answer.contains("the time of day is"), "\(line): \(answer)")
    }
  }

  @Test func aClockThatIsKnownNeedsNoWords() throws {
    let bench = try bench(isTrusted: true)
    #expect(bench.status("clock") == nil)
    for line in Self.dependent { #expect(!bench.ask(line).contains("time of day"), "\(line)") }
    // A network that is lost later leaves the clock running.
    bench.machine.storage.isClockTrusted = false
    bench.clock.run(seconds: 1000)
    #expect(bench.status("clock") == nil)
  }

  enum Way: CaseIterable, Sendable { case wasSet, isKept }

  /// The clock counts as known once it is set, or once the network keeps it synchronized without a step.
  @Test(arguments: Way.allCases) func itBecomesKnown(way: Way) throws {
    let bench = try bench()
    let watcher = bench.watcher("watch clock")
    bench.clock.run(seconds: 300)
    #expect(watcher.takeText().isEmpty)
    switch way {
    case .wasSet: bench.machine.wallClock.signal()
    case .isKept: bench.machine.storage.isClockTrusted = true
    }
    bench.clock.run(seconds: 61)
    let told = watcher.takeText()
    #expect(told.contains("clock: mon 12:") && !told.contains("may be wrong"), "\(told)")
    #expect(bench.status("clock") == nil && !bench.ask("alarm").contains("time of day"))
    bench.machine.storage.isClockTrusted = false
    bench.clock.run(seconds: 300)
    #expect(bench.status("clock") == nil, "it stays known")
    #expect(watcher.takeText().isEmpty)
  }

  /// Alarms ring by the uncertain clock.
  @Test func alarmsRingAllTheSame() throws {
    let bench = try bench()
    _ = bench.ask("alarm 12:10 daily play long")
    bench.clock.run(seconds: 601)
    #expect(bench.status("alarm")?.hasPrefix("rings") == true)
  }

  /// The daily limit counts playing time. Neither a clock that is years behind at power-on nor a corrected
  /// one restores time of a used day; only a later day does.
  @Test func theDailyLimitCountsWhatIsHeard() throws {
    let storage = Bench.storage("set limits.daily 30\n")
    storage.isClockTrusted = false
    var left: [Int] = []
    for _ in 0..<2 {
      let bench = try Bench(storage)
      _ = bench.ask("play long")
      bench.clock.run(seconds: 600)
      left.append(bench.status("minutes-left").flatMap { Int($0) } ?? -1)
      bench.machine.terminate()
      bench.clock.run(seconds: 5)
      bench.pullThePlug()
    }
    #expect(left == [20, 10], "\(left)")
    let bench = try Bench(storage)
    // Corrected within the day.
    bench.machine.minuteOfDay += 60
    bench.machine.wallClock.signal()
    bench.clock.run(seconds: 1)
    let same = try #require(bench.status("minutes-left").flatMap { Int($0) })
    #expect(same <= 10)
    // The clock was days behind.
    bench.machine.minuteOfDay += 3 * 1440
    bench.machine.wallClock.signal()
    bench.clock.run(seconds: 1)
    let later = try #require(bench.status("minutes-left").flatMap { Int($0) })
    #expect(later > 28)
  }
}
