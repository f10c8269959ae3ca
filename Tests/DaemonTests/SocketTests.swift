// The control socket's path, its errors and its sessions. Test threads.

import Foundation
import Platform
import Testing

@testable import Simulator

@Suite struct SocketTests {
  private static let usual = "/run/swiftlet/control"

  @Test(arguments: [ENOENT, EACCES]) func whoRunsABoxByHandGetsASocketOfTheirOwn(code: Int32) throws {
    let bench = try Bench(refusedSockets: [Self.usual: code])
    #expect(bench.ask("status").contains("ok"))
    #expect(bench.machine.logged.contains { $0.contains("The control socket is /user/swiftlet-control") })
  }

  @Test(arguments: [
    (EADDRINUSE, "Another 'swiftlet run' is running"), (ENOENT, "Create its folder"),
    (EACCES, "may not write there"),
  ]) func theErrorFitsItsCause(code: Int32, words: String) throws {
    let bench = try Bench(refusedSockets: [Self.usual: code, "/user/swiftlet-control": EACCES])
    let line = try #require(bench.machine.logged.first { $0.contains("No control socket") })
    #expect(line.contains(words), "\(line)")
  }

  /// A process without free file descriptors retries `accept` once a second instead of spinning.
  @Test func aListenerThatFailsIsLeftAloneForAWhile() throws {
    let clock = SimulatedScheduler()
    let door = Door(clock)
    let watch = try ListenerWatch(door, scheduler: clock)
    var (connections, failures) = (0, 0)
    watch.onConnection = { _ in connections += 1 }
    watch.onFailure = { failures += $0.code == EMFILE ? 1 : 0 }
    door.failure = EMFILE
    door.knock(WireEnd.pair(clock).0)
    clock.run(seconds: 5)
    #expect((4...7).contains(failures) && connections == 0)
    door.failure = nil
    clock.run(seconds: 1.1)
    #expect(connections == 1)
  }

  /// Sixteen silent connections cannot lock out a new one; a connection that waits for events is not closed
  /// first.
  @Test func whoeverComesToAFullHouseGetsIn() throws {
    let bench = try Bench()
    let watcher = bench.watcher("watch volume")
    let idle = (0..<40).map { _ in
      let wire = bench.machine.listener.connect()
      bench.clock.run(seconds: 1)
      return wire
    }
    let late = bench.machine.listener.connect()
    late.type("volume 33")
    bench.clock.run(seconds: 1)
    #expect(late.takeText().contains("33 %"))
    #expect(watcher.takeText().contains("33"))
    #expect(bench.machine.logged.contains { $0.contains("A session was ended for a new one") })
    withExtendedLifetime(idle) {}
  }

  /// A lookup is cancelled when its client disconnects; music that the client has ordered still plays, unless
  /// another command has replaced it.
  @Test func whatNobodyWaitsForIsGivenUp() throws {
    let bench = try Bench()
    let storage = bench.machine.storage
    storage.hangs = true
    let curious = bench.machine.listener.connect()
    curious.type("media /music")
    bench.clock.run(seconds: 1)
    #expect(storage.cancellations.last?.isSet == false)
    curious.hangUp()
    bench.clock.run(seconds: 1)
    #expect(storage.cancellations.last?.isSet == true)

    let first = bench.machine.listener.connect()
    first.type("play long")
    bench.clock.run(seconds: 1)
    let second = bench.machine.listener.connect()
    second.type("play short")
    bench.clock.run(seconds: 1)
    #expect(storage.cancellations.suffix(2).map(\.isSet) == [true, false])
    second.hangUp()
    bench.clock.run(seconds: 1)
    #expect(storage.cancellations.last?.isSet == false)
    storage.hangs = false
    bench.clock.run(seconds: 1)
    #expect(first.takeText().contains("given up for what was asked for since"))
    #expect(bench.status("path") == "/music/short")
  }

  /// An idle session is closed; a session that waits for an event or a response stays.
  @Test func aSessionThatIsOwedNothingEnds() throws {
    let bench = try Bench()
    let watcher = bench.watcher("watch volume")
    let waiting = bench.watcher("idle volume")
    let forgotten = bench.machine.listener.connect()
    forgotten.type("status")
    bench.clock.run(seconds: 580)
    #expect(bench.status("sessions", of: "stats") == "4", "each is heard, or waits")
    bench.clock.run(seconds: 22)
    #expect(bench.status("sessions", of: "stats") == "3")
    #expect(bench.ask("volume 21").hasPrefix("ok"))
    #expect(watcher.takeText().contains("21") && waiting.takeText().contains("21"))
    // The session has its event and waits for nothing more.
    bench.clock.run(seconds: 570)
    #expect(bench.status("sessions", of: "stats") == "3")
    bench.clock.run(seconds: 40)
    #expect(bench.status("sessions", of: "stats") == "2")
    withExtendedLifetime(forgotten) {}
  }
}
