// The box's MPD server as a process: started as the settings say, and again when it has ended. Test threads.

import Daemon
import Neighbours
import Platform
import Testing

@testable import Simulator

@Suite struct NeighbourTests {
  private func bench(_ configuration: String = "") throws -> Bench { try Bench(Bench.storage(configuration)) }

  private func orders(_ bench: Bench) -> [NeighbourOrder] { bench.machine.neighbours.map { $0.order } }

  @Test func nothingIsStartedUnlessASettingWantsIt() throws {
    let bench = try bench()
    #expect(orders(bench).isEmpty && bench.status("mpd") == nil)
    #expect(bench.ask("set mpd.listen 127.0.0.1:6600").contains("ok"))
    #expect(orders(bench).map { $0.address.text } == ["127.0.0.1:6600"])
    #expect(orders(bench).first?.socket == "/run/swiftlet/control" && orders(bench).first?.password == nil)
    #expect(bench.status("mpd") == "listens at 127.0.0.1:6600")
    #expect(bench.ask("set mpd.listen off").contains("ok"))
    #expect(bench.status("mpd") == nil && bench.machine.neighbours[0].isGone)
  }

  @Test func aChangeStartsItAnew() throws {
    let bench = try bench("set mpd.listen [::]:6600\nset mpd.password secret\n")
    #expect(orders(bench).map { $0.password } == ["secret"])
    _ = bench.ask("set mpd.password none")
    _ = bench.ask("set volume.maximum 80")
    #expect(
      orders(bench).count == 2 && bench.machine.neighbours[0].isGone && !bench.machine.neighbours[1].isGone)
    #expect(bench.machine.logged.contains { $0.contains("Whoever reaches it may use the box") })
    #expect(!bench.machine.logged.contains { $0.contains("secret") })
  }

  /// Killed again and again, it comes again and again, less and less often; the box plays on.
  @Test func whateverEndsItItComesBack() throws {
    let bench = try bench("set mpd.listen 127.0.0.1:6600\n")
    _ = bench.ask("play long")
    for _ in 0..<12 {
      bench.machine.neighbours.last?.end("signal 9 ended it")
      bench.clock.run(seconds: 0.5)
      #expect(bench.status("mpd")?.contains("signal 9 ended it; trying again in") == true)
      bench.clock.run(seconds: 61)
    }
    #expect(orders(bench).count == 13 && bench.status("mpd") == "listens at 127.0.0.1:6600")
    #expect(bench.status("state") == "playing")
    let first = try #require(bench.machine.neighbours.last?.startedAt)
    bench.clock.run(seconds: 60)
    bench.machine.neighbours.last?.end("it ended with status 71")
    bench.clock.run(seconds: 1.5)
    // One that had run for long is missed at once.
    #expect(orders(bench).count == 14 && bench.machine.neighbours.last!.startedAt > first)
  }

  @Test func whatCannotBeStartedIsSaidAndTriedAgain() throws {
    let bench = try bench()
    bench.machine.neighbourFailure = 11
    _ = bench.ask("set mpd.listen 127.0.0.1:6600")
    #expect(bench.status("mpd")?.hasPrefix("the MPD server does not run: ") == true)
    bench.machine.neighbourFailure = nil
    bench.clock.run(seconds: 3)
    #expect(bench.status("mpd") == "listens at 127.0.0.1:6600")
  }

  @Test(arguments: [
    "6600", "localhost:6600", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:70000", "::1:6600", "[::1]",
    "1.2.3:6600",
  ])
  func whatIsNoAddressIsRefused(text: String) throws {
    let answer = try bench().ask("set mpd.listen \(text)")
    #expect(
      answer.contains("error: mpd.listen cannot be '\(text)'") && answer.contains("127.0.0.1:6600"),
      "\(answer)")
  }

  @Test func itEndsWithTheBox() throws {
    let bench = try bench("set mpd.listen 127.0.0.1:6600\n")
    _ = bench.ask("shutdown")
    bench.clock.run(seconds: 2)
    #expect(bench.machine.neighbours.last?.isGone == true)
  }
}
