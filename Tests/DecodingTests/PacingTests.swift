// How often a worker wakes up, and how the watchdog measures time. Real time is the subject of these tests.

import AudioRing
import CLinux
import Decoding
import Foundation
import Platform
import PlaybackModel
import RealtimeAudio
import RealTimeSupport
import Testing

@Suite(.realTime, .serialized) struct PacingTests {
  /// Number of voluntary context switches of a process.
  private func sleeps(of pid: Int32) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") })
    return try #require(Int(line.split(separator: "\t").last ?? ""))
  }

  @Test func aWorkerWhoseReaderStandsStillDoesNotWakeUp() throws {
    let bench = try Workbench()
    // A quarter of this ring is 43 ms; then the worker polls for two seconds whether the reader advances.
    var listener = Listener(
      try bench.worker(TestFile(frames: 1_000_000)) { $0.layout = RingLayout(capacity: 8192) })
    try listener.waitUntil(written: 8192)
    _ = listener.worker.takeEvents(now: MonotonicClock.now())
    usleep(2_600_000)
    let before = try sleeps(of: listener.worker.processID)
    usleep(1_500_000)
    #expect(try sleeps(of: listener.worker.processID) == before)
    // The worker continues when it is woken.
    listener.read()
    listener.worker.wake()
    let limit = MonotonicClock.now() + 5_000_000_000
    while listener.worker.ring.writeIndex == 8192, MonotonicClock.now() < limit { usleep(1000) }
    #expect(listener.worker.ring.writeIndex > 8192)
  }

  /// A recording that waits for frames does not advance, so the worker fills the free space without waiting
  /// for more.
  @Test func whoeverWaitsGetsWhatIsFree() throws {
    let bench = try Workbench()
    var listener = Listener(
      try bench.worker(TestFile(frames: 1_000_000)) { $0.layout = RingLayout(capacity: 65_536) })
    try listener.waitUntil(written: 65_536)
    listener.retain(1_000)
    listener.worker.wake()
    try listener.waitUntil(written: 66_536)
  }

  /// A paused stream, and one whose server sends nothing for a while: neither the worker nor the fetcher
  /// polls.
  @Test(arguments: ["plain", "stall"]) func aStreamThatStandsStillWakesNobody(manner: String) throws {
    let rig = try StreamTests.Rig(seconds: 20)
    var listener = try rig.listener(manner) { $0.stream?.stallMilliseconds = 30_000 }
    _ = try listener.waitForReady()
    let limit = MonotonicClock.now() + 20_000_000_000
    // All received bytes have been read, and the worker waits for more.
    while manner == "stall", listener.worker.ring.reader.storageWaits.present(now: MonotonicClock.now()) == 0
    {
      try #require(MonotonicClock.now() < limit && listener.failure == nil, "\(listener.samples.count)")
      listener.read()
      listener.worker.wake()
      listener.step()
    }
    // For two seconds a worker polls whether its reader advances; then it sleeps.
    let processes = [listener.worker.processID, try #require(listener.worker.fetcherID)]
    var before: [Int] = []
    var after: [Int] = []
    repeat {
      before = try processes.map { try sleeps(of: $0) }
      usleep(1_500_000)
      after = try processes.map { try sleeps(of: $0) }
    } while after != before && MonotonicClock.now() < limit
    #expect(after == before)
    guard manner == "plain" else { return }
    // All frames arrive once they are read.
    try listener.readToEnd()
    #expect(listener.failure == nil && listener.samples == rig.samples)
  }

  @Test func inPlayItWakesUpOnceForEachFilling() throws {
    let bench = try Workbench()
    var listener = Listener(try bench.worker(TestFile(frames: 1_000_000)))
    try listener.waitUntil(written: 65_536)
    listener.worker.wake()
    let before = try sleeps(of: listener.worker.processID)
    let begin = MonotonicClock.now()
    var position: UInt64 = 0
    // Three seconds of a steady reader that checks for underruns.
    while position < 3 * 48_000 {
      usleep(20_000)
      position = (MonotonicClock.now() - begin) * 48 / 1_000_000
      #expect(listener.worker.ring.writeIndex >= position)
      listener.retain(position)
    }
    let count = try sleeps(of: listener.worker.processID) - before
    // Five sixteenths of the ring are 0.43 s: seven fills, each with one or two sleeps before it, and the
    // wake message.
    #expect(count <= 12, "\(count) sleeps")
  }

  /// Played frames stay in the ring for a while, and frames queued in the device have not played yet;
  /// together they are half a ring, so a track that has just started looks as if its reader did not advance.
  @Test func aReaderThatSeemsToStandStillAtFirstIsNotForgotten() throws {
    let bench = try Workbench()
    var listener = Listener(try bench.worker(TestFile(frames: 1_000_000)))
    try listener.waitUntil(written: 65_536)
    let begin = MonotonicClock.now()
    var position: UInt64 = 0
    while position < 3 * 48_000 {
      usleep(20_000)
      position = (MonotonicClock.now() - begin) * 48 / 1_000_000
      try #require(listener.worker.ring.writeIndex >= position, "starved at frame \(position)")
      listener.retain(position > 33_000 ? position - 33_000 : 0)
    }
  }

  @Test(arguments: Watchdog.Operation.allCases)
  func theWatchdogCountsFromTheOrder(operation: Watchdog.Operation) {
    var dog = Watchdog(timeoutNanoseconds: 1000)
    #expect(dog.deadline == nil && dog.check(now: .max) { nil } == nil)
    dog.expect(operation, now: 500)
    // A progress check has its own timeout, and a hang is only reported if the kernel's accounting confirms
    // it.
    let end = 500 + (operation == .progress ? Watchdog.progressTimeout : 1000)
    #expect(dog.deadline == end)
    #expect(dog.check(now: 499) { nil } == nil)
    #expect(dog.check(now: end - 1) { nil } == nil)
    if operation != .progress { #expect(dog.check(now: end) { nil } == operation) }
    dog.satisfied()
    #expect(dog.check(now: 1500) { nil } == nil && dog.expected == nil)
  }

  @Test func aWorkerThatTheKernelHoldsForItsDiskHasLonger() {
    var dog = Watchdog(timeoutNanoseconds: 4000)
    dog.expect(.open, now: 0)
    var now: UInt64 = 4000
    while now < 20_000 {
      #expect(dog.check(now: now, used: { ProcessorTime() }, waits: { true }) == nil)
      now = dog.deadline ?? .max
    }
    #expect(dog.check(now: now, used: { ProcessorTime() }, waits: { true }) == .open, "but not for ever")
    dog.expect(.open, now: 100_000)
    #expect(dog.check(now: 104_000, used: { ProcessorTime() }, waits: { false }) == .open)
  }

  /// A worker's running and waiting time during the timeout, and whether that counts as a hang.
  struct Account: Sendable {
    let ran: UInt64
    let queued: UInt64
    let hangs: Bool
  }

  @Test(arguments: [
    Account(ran: 1000, queued: 0, hangs: true),  // spins
    Account(ran: 0, queued: 0, hangs: true),  // sleeps, or waits for dead storage
    Account(ran: 125, queued: 875, hangs: true),  // spins on a busy machine
    Account(ran: 100, queued: 400, hangs: true),  // mostly sleeps
    Account(ran: 100, queued: 900, hangs: false),  // is starved of CPU time
    Account(ran: 124, queued: 501, hangs: false),
  ])
  func onlyAWorkerThatIsNotLetHasLonger(account: Account) {
    var dog = Watchdog(timeoutNanoseconds: 1000)
    let before = ProcessorTime(ran: 7_000_000, queued: 9_000_000)
    let used = ProcessorTime(ran: before.ran + account.ran, queued: before.queued + account.queued)
    dog.expect(.refill, now: 500, used: before)
    #expect(dog.check(now: 1500) { used } == (account.hangs ? .refill : nil))
    guard !account.hangs else { return }
    #expect(dog.deadline == 1750)
    #expect(dog.check(now: 1749) { nil } == nil)
    #expect(dog.check(now: 1750) { used } == nil)
    #expect(dog.check(now: 500 + dog.longest) { used } == .refill)
  }
}
