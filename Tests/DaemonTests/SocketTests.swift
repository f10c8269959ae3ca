// Where the control socket is, and what is said if it is not. Test threads.

import Foundation
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

  /// Sixteen connections that say nothing do not lock anyone out; one that waits for events is not the first to go.
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
}
