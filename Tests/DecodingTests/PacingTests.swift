// How often a worker wakes up, and how the watchdog counts. The times here are what is tested.

import CLinux
import Decoding
import Foundation
import Platform
import PlaybackModel
import RealtimeAudio
import Testing

@Suite(.serialized) struct PacingTests {
  /// How often the process gave up the CPU of its own accord.
  private func sleeps(of pid: Int32) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") })
    return try #require(Int(line.split(separator: "\t").last ?? ""))
  }

  @Test func aWorkerWhoseReaderStandsStillDoesNotWakeUp() throws {
    let bench = try Workbench()
    // A quarter of this ring lasts 43 ms; then come two seconds of looking whether the reader moves.
    var listener = Listener(
      try bench.worker(TestFile(frames: 1_000_000)) { $0.layout = RingLayout(capacity: 8192) })
    try listener.waitUntil(written: 8192)
    _ = listener.worker.takeEvents(now: MonotonicClock.now())
    usleep(2_600_000)
    let before = try sleeps(of: listener.worker.processID)
    usleep(1_500_000)
    #expect(try sleeps(of: listener.worker.processID) == before)
    // And it goes on when told.
    listener.read()
    listener.worker.wake()
    let limit = MonotonicClock.now() + 5_000_000_000
    while listener.worker.ring.writeIndex == 8192, MonotonicClock.now() < limit { usleep(1000) }
    #expect(listener.worker.ring.writeIndex > 8192)
  }

  @Test func inPlayItWakesUpOncePerQuarterOfTheRing() throws {
    let bench = try Workbench()
    var listener = Listener(try bench.worker(TestFile(frames: 1_000_000)))
    try listener.waitUntil(written: 65_536)
    listener.worker.wake()
    let before = try sleeps(of: listener.worker.processID)
    let begin = MonotonicClock.now()
    var position: UInt64 = 0
    // Three seconds of a reader in steady play, looking for underruns.
    while position < 3 * 48_000 {
      usleep(20_000)
      position = (MonotonicClock.now() - begin) * 48 / 1_000_000
      #expect(listener.worker.ring.writeIndex >= position)
      listener.retain(position)
    }
    let count = try sleeps(of: listener.worker.processID) - before
    // A quarter of the ring is 0.34 s: eight or nine fills, each with one sleep before it, and the wake message.
    #expect(count <= 12, "\(count) sleeps")
  }

  @Test(arguments: Watchdog.Operation.allCases)
  func theWatchdogCountsFromTheOrder(operation: Watchdog.Operation) {
    var dog = Watchdog(patience: 1000)
    #expect(dog.deadline == nil && dog.expired(now: .max) == nil)
    dog.expect(operation, now: 500)
    #expect(dog.deadline == 1500)
    #expect(dog.expired(now: 499) == nil)
    #expect(dog.expired(now: 1499) == nil)
    #expect(dog.expired(now: 1500) == operation)
    dog.satisfied()
    #expect(dog.expired(now: 1500) == nil && dog.expected == nil)
  }
}
