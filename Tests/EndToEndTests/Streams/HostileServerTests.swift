// A box with a misbehaving server between two pieces of local music: the server affects only its own stream,
// within its time and memory limits. The music before it and commands are unaffected, and the queue
// continues. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing
import VirtualCardSupport

@Suite(.realTime) struct HostileServerTests {
  private static let rate = 44_100
  private static let music: Float = 0.25
  private static let last: Float = 0.5
  private static let stream: Float = -0.125

  /// The expected result of a stream.
  enum Fate: Sendable {
    /// All of it plays.
    case plays
    /// Part of it plays; then the user must skip it.
    case limps
    /// It is skipped, with these words in the log; a failure before its turn is not logged.
    case fails(String)
  }

  @Test(
    arguments: [
      ("plain", .plays), ("stall", .plays), ("chop", .plays), ("half", .limps), ("endlesstitle", .limps),
      ("changesformat", .limps), ("garbage", .fails("No codec")),
      ("circle", .fails("redirects are not followed")),
      ("elsewhere", .fails("redirects are not followed")), ("silent", .fails("does not answer")),
      ("nonsense", .fails("does not speak HTTP")), ("manyheaders", .fails("endless")),
      ("longheader", .fails("answer is refused")), ("endlesslist", .fails("does not end within")),
      ("endlesshls", .fails("does not end within 2 MiB")),
      ("status/404", .fails("status 404")), ("status/503", .fails("status 503")),
      ("lies", .fails("status 416")), ("changes", .fails("was changed on its server")),
    ] as [(String, Fate)])
  func whateverAServerDoesCostsItsOwnStream(manner: String, fate: Fate) throws {
    let box = try BoxRig(["set stream.timeout 1", "set stream.spool 262144"])
    let bench = box.bench
    for (name, seconds, level) in [("1", 4, Self.music), ("s", 3, Self.stream), ("2", 60, Self.last)] {
      let frames = seconds * Self.rate
      try bench.write(Sound.constant(frames: frames, left: level, right: level), as: "\(name).wav")
    }
    let server = try UnrulyServer(serving: bench.directory)
    try box.tell("play 1.wav")
    try box.tell("queue add \(server.url(manner, "s.wav")) 2.wav")
    let before = try memory(of: box.daemon.identifier)

    var slowest = 0.0
    var largest = 0
    var hasGoneOn = false
    var streamSeen: ContinuousClock.Instant?
    let isOver = try bench.waits(seconds: 60) {
      let asked = ContinuousClock.now
      let status = try box.fields()
      slowest = max(slowest, (ContinuousClock.now - asked) / .seconds(1))
      for child in children(of: box.daemon.identifier) {
        largest = max(largest, (try? memory(of: child)) ?? 0)
      }
      if status["path"]?.hasPrefix("http") == true {
        let seen = streamSeen ?? .now
        streamSeen = seen
        // The user skips the stream.
        if case .limps = fate, !hasGoneOn, ContinuousClock.now - seen > .seconds(2.5) {
          hasGoneOn = true
          try box.tell("next")
        }
      }
      return isNear(box.card.floats.last, Self.last)
    }
    let heard = Array(box.card.floats)
    let state = try box.fields()
    #expect(isOver, "\(state) \(box.daemon.errorsSoFar.suffix(2000))")
    // The music before it is complete, without a gap.
    let musical = heard.indices.filter { heard[$0] == Self.music }
    #expect(musical.count == 2 * 4 * Self.rate)
    #expect((musical.last ?? 0) - (musical.first ?? 0) == musical.count - 1)
    let ofStream = heard.filter { isNear($0, Self.stream) }.count / 2
    switch fate {
    case .plays: #expect(ofStream == 3 * Self.rate)
    case .limps: #expect(ofStream > Self.rate / 4, "\(ofStream)")
    case .fails(let words):
      #expect(ofStream == 0)
      #expect(box.logs(words))
    }
    #expect(slowest < 1, "a command took \(slowest) s")
    #expect(largest < 64 << 10, "a child had \(largest) KiB")
    #expect(try memory(of: box.daemon.identifier) - before < 16 << 10)
    #expect(try box.fields("stats")["xruns"] == "0" && box.fields("stats")["worker-crashes"] == "0")
  }

  private func isNear(_ sample: Float?, _ level: Float) -> Bool { abs((sample ?? 0) - level) < 1e-3 }

  /// Private memory of a process in KiB.
  private func memory(of process: Int32) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    return line?.split(whereSeparator: { " \t".contains($0) }).dropFirst().first.flatMap { Int($0) } ?? 0
  }

  private func children(of process: Int32) -> [Int32] {
    let text =
      (try? String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)) ?? ""
    return text.split(separator: " ").compactMap { Int32($0) }
  }
}
