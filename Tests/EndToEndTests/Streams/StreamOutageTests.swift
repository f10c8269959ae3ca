// A stream whose server is away for ten seconds while the spool holds fifteen: the recording has each frame
// once and in order. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing
import VirtualCardSupport

@Suite(.realTime) struct StreamOutageTests {
  @Test func tenSecondsWithoutAServerAreNotHeard() throws {
    let box = try BoxRig()
    let seconds = 16.5
    try box.tracks(1...1, seconds: seconds)
    let server = try UnrulyServer(serving: box.bench.directory)
    let watch = try box.session()
    _ = try watch.ask("watch state")
    try box.tell("play \(server.url("outage", "1.wav"))")
    let isInterrupted = box.bench.waits { (try? box.fields()["stream-interrupted"]) != nil }
    #expect(isInterrupted)
    let frames = Int(seconds * Double(Coded.rate))
    try box.hears(seconds: 30) { $0.last?.positions.upperBound == frames }
    #expect(box.card.segments.map(\.positions) == [0..<frames])
    // The server was away, was retried several times, and finally delivered the rest.
    let requests = server.requests
    #expect(requests.count > 4 && requests.dropFirst().allSatisfy { $0.contains("bytes=") }, "\(requests)")
    let stats = try box.fields("stats")
    #expect(stats["xruns"] == "0" && stats["underruns"] ?? "0" == "0", "\(stats)")
    var states: [String] = []
    while let line = watch.line(seconds: 0.1) { states.append(line) }
    #expect(!states.isEmpty && !states.contains { $0.contains("buffering") }, "\(states)")
  }
}
