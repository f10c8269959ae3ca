// A real daemon with a FIFO as live source: the music pauses for it and resumes at its frame. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing
import VirtualCardSupport

@Suite(.realTime) struct BoxSourceTests {
  private static let level: Int16 = -8000

  /// Writes a constant sound to a FIFO in real time. No frame of the music equals it.
  private final class Sender: @unchecked Sendable {
    private let thread: Thread

    init(_ path: String, seconds: Double) {
      thread = Thread {
        // The reader may close the FIFO first.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let file = open(path, O_WRONLY)
        guard file >= 0 else { return }
        let block = [Int16](repeating: BoxSourceTests.level, count: 2 * 441)
        let start = DispatchTime.now().uptimeNanoseconds
        for number in 0..<Int(seconds * 100) {
          guard block.withUnsafeBytes({ write(file, $0.baseAddress, $0.count) }) > 0 else { break }
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
    // Only the two ramps are between the frames played at full gain; the first ramp starts at full gain.
    #expect((17_635...17_640).contains(after.positions.lowerBound - before.positions.upperBound + 1))
    let floats = box.card.floats
    let sound = Float(Self.level) / 32_768
    let sounding = (before.end..<after.frame).filter { abs(floats[2 * $0] - sound) < 1e-4 }
    #expect(sounding.count > 4 * 44_100, "\(sounding.count) frames of the source")
    #expect(try box.fields("stats")["xruns"] == "0")
  }

  /// An ALSA device is captured by a separate process. A pipe provides its samples here.
  @Test func aDeviceIsCaptured() throws {
    let box = try BoxRig()
    let path = box.bench.path("tape")
    try #require(mkfifo(path, 0o600) == 0)
    let configuration = try #require(box.card.environment["ALSA_CONFIG_PATH"])
    let cards = try String(contentsOfFile: configuration, encoding: .utf8)
    let tape =
      "pcm.tape { type file slave.pcm { type null } file \"/dev/null\" infile \"\(path)\" format raw }\n"
    try (cards + tape).write(toFile: configuration, atomically: true, encoding: .utf8)
    try box.tracks(1...1, seconds: 20)
    try box.tell("play 1.wav")
    try box.hears { $0.last.map { $0.positions.count > 20_000 } ?? false }
    let sender = Sender(path, seconds: 4)
    try box.tell("source line-in alsa tape")
    let isHeard = box.bench.waits { (try? box.fields()["source"]) == "line-in" }
    try #require(isHeard, "\(box.daemon.errorsSoFar)")
    var sounding = 0
    let isSounding = box.bench.waits {
      let floats = box.card.floats
      sounding = (0..<floats.count / 2).count { abs(floats[2 * $0] - Float(Self.level) / 32_768) < 1e-4 }
      return sounding > 2 * 44_100
    }
    #expect(isSounding, "\(sounding) frames of the device; \(box.daemon.errorsSoFar)")
    try box.tell("play")
    try box.hears { $0.count >= 2 && $0.last!.positions.count > 20_000 }
    withExtendedLifetime(sender) {}
    let (before, after) = (box.card.segments[0], box.card.segments[1])
    #expect((17_635...17_640).contains(after.positions.lowerBound - before.positions.upperBound + 1))
    #expect(try box.fields("stats")["xruns"] == "0")
  }

  @Test func aDeviceThatIsNotThereIsSaid() throws {
    let box = try BoxRig()
    try box.tell("source line-in alsa nosuchdevice")
    #expect(
      box.logs("line-in", "nosuchdevice cannot be opened", "No such file", "arecord -L"),
      "\(box.daemon.errorsSoFar)")
    // A retry does not repeat the message.
    let isTriedAgain = box.bench.waits {
      (try? box.tell("sources").joined())?.contains("again 2 times") == true
    }
    #expect(isTriedAgain && box.daemon.errorsSoFar.components(separatedBy: "nosuchdevice").count == 2)
    try box.tracks(1...1, seconds: 2)
    try box.tell("play 1.wav")
    try box.hears { $0.last.map { $0.positions.upperBound == 88_200 } ?? false }
  }

  /// A receiver process is started by the daemon and ends with it.
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
