// A box whose real workers are killed, crashed and stopped during playback. Test threads.

import ChildSupport
import Foundation
import Testing
import VirtualCardSupport

@Suite struct BoxDeathTests {
  static let signals: [Int32] = [SIGSEGV, SIGABRT, SIGKILL, SIGSTOP]

  /// The processes that decode a file, newest last.
  private static func workers(_ box: BoxRig) -> [Int32] {
    let daemon = box.daemon.identifier
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon)/task")) ?? []
    let children = threads.flatMap { thread in
      let list = try? String(contentsOfFile: "/proc/\(daemon)/task/\(thread)/children", encoding: .utf8)
      return (list ?? "").split(separator: " ").compactMap { Int32($0) }
    }
    return children.sorted().filter { child in
      let line = (try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(child)/cmdline"))) ?? Data()
      let words = line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      return words.contains("worker") && words.contains("decode")
    }
  }

  private static func kill(_ signal: Int32, in box: BoxRig) throws -> Int32 {
    var found: Int32?
    try #require(
      box.bench.waits {
        found = workers(box).last
        return found != nil
      })
    let worker = try #require(found)
    #expect(Glibc.kill(worker, signal) == 0)
    return worker
  }

  /// The recording has each frame of the track, once.
  @Test(arguments: signals) func aDeadWorkerCostsNoFrame(signal: Int32) throws {
    let box = try BoxRig()
    try box.tracks(1...1, seconds: 12)
    let watch = try box.session()
    watch.send(Array("watch track\n".utf8))
    try box.tell("queue add 1.wav")
    try box.tell("play")
    try #require(box.card.wait(seconds: 20) { $0.recordedFrames > 2 * Coded.rate })
    _ = try Self.kill(signal, in: box)
    #expect(box.logs("decoder was restarted"))
    try box.reaches("finished")
    #expect(box.card.segments.map(\.positions) == [0..<12 * Coded.rate])
    let stats = try box.fields("stats")
    #expect(stats["worker-restarts"] == "1" && stats["worker-crashes"] == "0")
    var lines: [String] = []
    while let line = watch.line(seconds: 2) { lines.append(line) }
    #expect(lines.contains { $0.contains("plays on with a new decoder") })
    #expect(lines.contains { $0.contains("is over") })
  }

  /// A second crash in a row is a failure at the position where the sound stopped.
  @Test func twoDeathsAreAFailure() throws {
    let box = try BoxRig()
    try box.tracks(1...1, seconds: 60)
    let watch = try box.session()
    watch.send(Array("watch track\n".utf8))
    try box.tell("queue add 1.wav")
    try box.tell("play")
    try #require(box.card.wait(seconds: 20) { $0.recordedFrames > 2 * Coded.rate })
    let first = try Self.kill(SIGKILL, in: box)
    try #require(box.bench.waits { Self.workers(box).last.map { $0 != first } == true })
    _ = try Self.kill(SIGKILL, in: box)
    try box.reaches("failed")
    let fields = try box.fields()
    let position = try #require(fields["position"].flatMap { Double($0.split(separator: " ")[0]) })
    #expect(position > 2 && position < 12, "\(fields)")
    #expect(fields["light"]?.contains("red") == true, "\(fields)")
    let last = try #require(box.card.segments.last)
    #expect(abs(Double(last.positions.upperBound) / Double(Coded.rate) - position) < 0.1)
    var lines: [String] = []
    while let line = watch.line(seconds: 2) { lines.append(line) }
    #expect(!lines.contains { $0.contains("is over") } && lines.contains { $0.contains("was left at") })
  }
}
