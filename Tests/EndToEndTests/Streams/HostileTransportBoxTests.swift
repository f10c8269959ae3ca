// A box whose transport plugin is hostile, between two local tracks: the first plays without a gap, and the
// queue continues. Also the timeouts that the engine passes to the plugin. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing
import VirtualCardSupport

extension BoxRig {
  /// A box with the test transport plugin.
  fileprivate static func withTestTransport(_ lines: [String] = []) throws -> BoxRig {
    let bench = try Workbench()
    try FileManager.default.createDirectory(
      at: bench.directory.appending(path: "transports"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      at: bench.directory.appending(path: "transports/libSwiftletTransportHTTP.so"),
      withDestinationURL: Workbench.products.appending(path: "libTestTransport.so"))
    return try BoxRig(lines, bench: bench, environment: ["SWIFTLET_TRANSPORTS": bench.path("transports")])
  }
}

@Suite struct StreamTimeoutTests {
  /// `stream.timeout`, by default and after each change, is both the connect timeout and the silence timeout
  /// that the engine passes to the transport plugin.
  @Test func theTimeoutOfStreamsIsThatOfTheSetting() throws {
    let box = try BoxRig.withTestTransport()
    for seconds in [10, 1, 7, 120] {
      if seconds != 10 { try box.tell("set stream.timeout \(seconds)") }
      try box.tell("play http://test/times/\(seconds)")
      let limit = seconds * 1000
      #expect(box.logs("connect \(limit), silence "))
      let log = box.daemon.errorsSoFar
      let silence = try #require(log.components(separatedBy: "connect \(limit), silence ").last)
      let milliseconds = try #require(Int(silence.prefix { $0.isNumber }))
      // The remaining time since the connection was opened, rounded up to a millisecond.
      #expect(milliseconds <= limit + 1 && milliseconds > limit / 2, "\(milliseconds) ms of \(limit)")
    }
  }
}

@Suite(.realTime) struct HostileTransportBoxTests {
  @Test func aHostileTransportCostsItsOwnStream() throws {
    let box = try BoxRig.withTestTransport(["set stream.timeout 1"])
    try box.tracks(1...2, seconds: 4)
    try box.tell("play 1.wav")
    try box.tell("queue add http://test/crash http://test/exec http://test/vast 2.wav")
    let frames = 4 * Coded.rate
    try box.hears(seconds: 60) { $0.last?.track == 2 && $0.last?.positions.upperBound == frames }
    #expect(box.card.segments.map(\.positions) == [0..<frames, 0..<frames], "\(box.card.segments)")
    #expect(box.logs("SIGSEGV") && box.logs("tried what its sandbox forbids") && box.logs("32 KiB at once"))
    let stats = try box.fields("stats")
    #expect(stats["xruns"] == "0" && stats["worker-crashes"] == "0", "\(stats)")
  }
}
