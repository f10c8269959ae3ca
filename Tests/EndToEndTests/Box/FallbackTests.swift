// A loopback station that is lost and returns, with a fallback. Both have constant samples, so levels
// identify them in the recording. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing
import VirtualCardSupport

@Suite(.realTime) struct BoxFallbackTests {
  private static let rate = 44_100
  private static let station: Float = 0.25
  private static let fallback: Float = 0.5

  @Test func aStationIsReplacedWithinItsTimeAndFadesBack() throws {
    let box = try BoxRig()
    let bench = box.bench
    try bench.write(Sound.constant(frames: Self.rate, left: Self.station, right: Self.station), as: "s.wav")
    try bench.write(
      Sound.constant(frames: 600 * Self.rate, left: Self.fallback, right: Self.fallback), as: "still.wav")
    let switch_ = try bench.write(Data(), as: "on.s.wav")
    let server = try UnrulyServer(serving: bench.directory)
    for line in [
      "set stream.fallback \(bench.path("still.wav"))", "set stream.fallback.after 2", "set stream.timeout 1",
      "volume 100",
      "play \(server.url("switched", "s.wav"))",
    ] { try box.tell(line) }
    let isHeard = bench.waits { isNear(box.card.floats.last, Self.station) }
    try #require(isHeard)
    // The station is lost: all data sent is played, followed by two seconds of silence.
    try FileManager.default.removeItem(atPath: switch_)
    let isReplaced = bench.waits(seconds: 40) { isNear(box.card.floats.last, Self.fallback) }
    try #require(isReplaced)
    #expect(try box.fields("status")["fallback-for"] != nil)
    // The station returns: the fallback fades over to it without a silent frame.
    let frame = box.card.recordedFrames
    try bench.write(Data(), as: "on.s.wav")
    let isBack = bench.waits(seconds: 60) { isNear(box.card.floats.last, Self.station) }
    try #require(isBack)
    let heard = Array(box.card.floats)
    let silent = zip(heard.indices, heard).filter { $0.0 > 2 * Self.rate && abs($0.1) < 1e-4 }.map {
      $0.0 / 2
    }
    let before = silent.filter { $0 < frame }
    let silence = Double((before.last ?? 0) - (before.first ?? 0)) / Double(Self.rate)
    #expect(silence > 1.5 && silence < 3.5, "silent for \(silence) s")
    let late = silent.filter { $0 >= frame }
    let atReturn = (samples: late.count, from: (late.first ?? 0) - frame, to: (late.last ?? 0) - frame)
    #expect(
      atReturn.samples == 0, "silent at its return: \(atReturn)\n\(box.daemon.errorsSoFar.suffix(2000))")
    let back = heard[(2 * frame)...]
    let step = zip(back, back.dropFirst(2)).map { abs($1 - $0) }.max() ?? 0
    #expect(step < 0.01, "a step of \(step)")
    #expect(try box.fields("status")["fallback-for"] == nil && box.fields("stats")["xruns"] == "0")
  }

  private func isNear(_ sample: Float?, _ level: Float) -> Bool { abs((sample ?? 0) - level) < 1e-3 }
}
