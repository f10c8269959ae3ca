// Real workers on live sources: a FIFO with changing writers, and commands that end. Test threads.

import CLinux
import Foundation
import Platform
import PlaybackModel
import RealTimeSupport
import Testing

@testable import Decoding

@Suite(.realTime) struct LiveWorkerTests {
  private static let rate = SampleRate(48_000)

  private func worker(_ source: LiveSource) throws -> LiveWorker {
    try LiveWorker(source, rate: Self.rate, executable: Workbench.executable)
  }

  /// Events that arrived together with the requested one.
  private final class Pending { var events: [LiveWorker.Event] = [] }
  private let pending = Pending()

  /// Waits for the next event.
  private func next(_ worker: LiveWorker, seconds: Int32 = 15) throws -> LiveWorker.Event {
    for _ in 0..<seconds * 10 {
      pending.events += worker.takeEvents()
      if !pending.events.isEmpty { return pending.events.removeFirst() }
      var entry = pollfd(fd: worker.descriptor, events: Int16(POLLIN), revents: 0)
      poll(&entry, 1, 100)
    }
    throw Silent()
  }

  private struct Silent: Error {}

  private func tone(seconds: Double) -> Data {
    var data = Data()
    for i in 0..<Int(44_100 * seconds) {
      let value = Int16(10_000 * sin(2 * .pi * 441 * Double(i) / 44_100))
      for _ in 0..<2 { withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) } }
    }
    return data
  }

  @Test func aFIFOsWritersComeAndGo() throws {
    let bench = try Workbench()
    let path = bench.directory.appendingPathComponent("fifo").path
    #expect(mkfifo(path, 0o600) == 0)
    let worker = try worker(LiveSource(.fifo(path)))
    for round in 0..<2 {
      let writer = open(path, O_WRONLY)
      try #require(writer >= 0)
      let data = tone(seconds: 0.6)
      #expect(data.withUnsafeBytes { write(writer, $0.baseAddress, $0.count) } == data.count)
      close(writer)
      guard case .ready(let index) = try next(worker) else {
        Issue.record("round \(round)")
        return
      }
      #expect(try next(worker) == .silent)
      let count = worker.ring.reader.frames(from: index)
      #expect(abs(count - 28_800) < 480, "\(count) frames")
      let loudest =
        (0..<count).map { abs(worker.ring.reader.frames(at: index + UInt64($0))[0][0]) }.max() ?? 0
      #expect(abs(loudest - 10_000 / 32_768) < 0.01)
      worker.ring.reader.retain(from: worker.ring.reader.writtenIndex)
    }
    worker.terminate()
  }

  @Test func aCommandsOutputIsHeardAndItsEndIsTheSourcesEnd() throws {
    let bench = try Workbench()
    let file = bench.directory.appendingPathComponent("raw")
    try tone(seconds: 0.5).write(to: file)
    let worker = try worker(LiveSource(.command("cat '\(file.path)'; exit 3")))
    guard case .ready = try next(worker) else {
      Issue.record("it is not heard")
      return
    }
    guard case .failed(let reason) = try next(worker) else {
      Issue.record("it does not end")
      return
    }
    #expect(reason == "its command ended with status 3" || reason == "its sound has ended")
    #expect(pending.events.isEmpty && worker.takeEvents().isEmpty)
  }

  /// Child processes of the receiver end with it.
  @Test func aReceiverIsEndedWithAllThatItHasStarted() throws {
    let bench = try Workbench()
    let note = bench.directory.appendingPathComponent("pid").path
    let worker = try worker(LiveSource(.command("sleep 1000 & echo $! > '\(note)'; wait")))
    var pid: Int32 = 0
    for _ in 0..<100 where pid == 0 {
      usleep(50_000)
      pid =
        (try? String(contentsOfFile: note, encoding: .utf8)).flatMap {
          Int32($0.trimmingCharacters(in: .newlines))
        } ?? 0
    }
    try #require(pid > 0 && kill(pid, 0) == 0)
    worker.terminate()
    var isGone = false
    for _ in 0..<100 where !isGone {
      usleep(50_000)
      let state = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
      isGone = kill(pid, 0) != 0 || state.contains(") Z ")
    }
    #expect(isGone)
  }

  @Test func whatIsNoFIFOIsRefusedWithASentence() throws {
    let bench = try Workbench()
    let file = bench.directory.appendingPathComponent("file")
    try Data("x".utf8).write(to: file)
    let missing = try worker(LiveSource(.fifo(bench.directory.path + "/missing")))
    #expect(
      try next(missing)
        == .failed(
          "there is no FIFO \(bench.directory.path)/missing; 'mkfifo' makes one, or the program that writes it"
        ))
    #expect(try next(try worker(LiveSource(.fifo(file.path)))) == .failed("\(file.path) is no FIFO"))
  }
}
