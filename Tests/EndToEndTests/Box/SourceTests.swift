// A genuine daemon with a FIFO as its live source: music stands still for it and goes on with its frame.

import ChildSupport
import Foundation
import Testing
import VirtualCardSupport

@Suite struct BoxSourceTests {
  private static let level: Int16 = -8000

  /// Sends a constant sound to a FIFO for so many seconds, as fast as it is to be heard. Music has no frame like it.
  private final class Sender: @unchecked Sendable {
    private let thread: Thread

    init(_ path: String, seconds: Double) {
      thread = Thread {
        let file = open(path, O_WRONLY)
        guard file >= 0 else { return }
        let block = [Int16](repeating: BoxSourceTests.level, count: 2 * 441)
        let start = DispatchTime.now().uptimeNanoseconds
        for number in 0..<Int(seconds * 100) {
          _ = block.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
          let due = start + UInt64(number + 1) * 10_000_000
          let now = DispatchTime.now().uptimeNanoseconds
          if due > now { usleep(UInt32((due - now) / 1000)) }
        }
        close(file)
      }
      thread.start()
    }
  }

  @Test func aFIFOTakesOverAndGivesBack() throws {
    let bench = try Workbench()
    let path = bench.path("fifo")
    try #require(mkfifo(path, 0o600) == 0)
    let box = try BoxRig(["source pipe fifo \(path)"], bench: bench)
    try box.tracks(1...1, seconds: 20)
    try box.tell("play 1.wav")
    try box.hears { $0.last.map { $0.positions.count > 40_000 } ?? false }
    let sender = Sender(path, seconds: 6)
    let isHeard = box.bench.waits { (try? box.fields()["source"]) == "pipe" }
    try #require(isHeard, "\(box.daemon.errorsSoFar)")
    usleep(3_000_000)
    let status = try box.fields()
    #expect(status["text"] == "Paused (live source)" && status["source-dropped"] == "0")
    let latency = try #require(status["source-latency-ms"].flatMap { Int($0) })
    #expect((200...300).contains(latency), "\(latency) ms")
    try box.reaches("playing")
    withExtendedLifetime(sender) {}
    try box.hears { $0.count >= 2 && $0.last!.positions.count > 20_000 }
    let (before, after) = (box.card.segments[0], box.card.segments[1])
    // The ramps out and in, and nothing else, lie between what was heard at full gain; the ramp out begins with it.
    #expect((17_635...17_640).contains(after.positions.lowerBound - before.positions.upperBound + 1))
    let floats = box.card.floats
    let sound = Float(Self.level) / 32_768
    let sounding = (before.end..<after.frame).filter { abs(floats[2 * $0] - sound) < 1e-4 }
    #expect(sounding.count > 4 * 44_100, "\(sounding.count) frames of the source")
    #expect(try box.fields("stats")["xruns"] == "0")
  }

  /// A receiver is run by the daemon, and ends with it.
  @Test func aCommandIsRunAndEndsWithTheBox() throws {
    let bench = try Workbench()
    let note = bench.path("pid")
    let box = try BoxRig(
      ["source tone exec \"echo $$ > \(note); exec cat /dev/zero | tr '\\\\0' 'x'\""], bench: bench)
    let isHeard = box.bench.waits { (try? box.fields()["source"]) == "tone" }
    try #require(isHeard, "\(box.daemon.errorsSoFar)")
    let pid = try #require(
      Int32(try String(contentsOfFile: note, encoding: .utf8).trimmingCharacters(in: .newlines)))
    #expect(kill(pid, 0) == 0)
    try box.tell("shutdown")
    let isGone = box.bench.waits {
      let status = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
      return kill(pid, 0) != 0 || status.contains(") Z ")
    }
    #expect(isGone)
  }
}
