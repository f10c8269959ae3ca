// A box whose transport plugin is hostile, between two pieces of local music: the one before it is heard without a gap, and the queue goes on.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing
import VirtualCardSupport

@Suite(.realTime) struct HostileTransportBoxTests {
  @Test func aHostileTransportCostsItsOwnStream() throws {
    let bench = try Workbench()
    try FileManager.default.createDirectory(
      at: bench.directory.appending(path: "transports"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      at: bench.directory.appending(path: "transports/libSwiftletTransportHTTP.so"),
      withDestinationURL: Workbench.products.appending(path: "libTestTransport.so"))
    let box = try BoxRig(
      ["set stream.timeout 1"], bench: bench, environment: ["SWIFTLET_TRANSPORTS": bench.path("transports")])
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
