// Where the control socket is, and what is said if it is not. Test threads.

import Foundation
import Testing

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
}
