// The checkpoint writer with a real thread: the newest checkpoint wins, no acknowledged one is lost, and the
// control thread never waits for it.
import Checkpoints
import Foundation
import PlaybackModel
import Platform
import RealTimeSupport
import Testing

/// Storage whose syncs block until they are released, or fail.
private final class GatedStorage: CachedStorage, @unchecked Sendable {
  let memory: MemoryStorage
  let gate = DispatchSemaphore(value: 0)
  let reached = DispatchSemaphore(value: 0)
  private let lock = NSLock()
  private var failures = 0

  init(_ layout: CheckpointLayout) { memory = empty(layout) }

  func failNext(_ count: Int) { lock.withLock { failures = count } }

  var size: Int { memory.size }
  func read(at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
    try memory.read(at: offset, count: count)
  }
  func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
    let fails = lock.withLock {
      failures -= 1
      return failures >= 0
    }
    if fails { throw SystemError("pwrite", on: "gate", code: EIO) }
    try memory.keep(bytes, at: offset)
  }
  func sync() throws(SystemError) {
    reached.signal()
    gate.wait()
  }
}

@Suite(.realTime) struct WriterTests {
  private let layout = CheckpointLayout(areaBytes: 8192)
  private let minute: UInt64 = 60_000_000_000

  private func pair(_ seed: UInt64) -> (Checkpoint, QueueRecord) {
    var random = ShuffleGenerator(seed: seed)
    return randomPair(&random)
  }

  private func makeWriter(
    _ journal: CheckpointJournal?, reopen: (@Sendable () throws(SystemError) -> JournalOpening)? = nil
  ) throws -> CheckpointWriter {
    CheckpointWriter(journal, on: try ThreadWorker(try EventLoop()), reopen: reopen)
  }

  @Test func theNewestReplacesWhatWasNotBegun() throws {
    let storage = GatedStorage(layout)
    let writer = try makeWriter(CheckpointJournal.open(storage, layout: layout).journal)
    let (first, queue) = pair(1)
    writer.submit(first, queue: queue)
    storage.reached.wait()
    // The writer is blocked in its sync. Of these checkpoints only the last one is written, with its queue.
    var ticket: UInt64 = 0
    for seed in 2...20 { ticket = writer.submit(pair(UInt64(seed)).0, queue: pair(UInt64(seed)).1) }
    #expect(!writer.flush(within: 0))
    for _ in 0..<10 { storage.gate.signal() }
    #expect(writer.flush(within: minute))
    let report = try #require(writer.takeReport())
    #expect(report.ticket == ticket && report.failure == nil && report.checkpoints == 2)
    #expect(report.bytes > 200 && writer.takeReport() == nil)
    #expect(writer.flush(within: minute))
    let opening = CheckpointJournal.open(storage.memory, layout: layout)
    #expect(opening.checkpoint == pair(20).0 && opening.queue == pair(20).1)
  }

  @Test func aReplacedQueueIsNotLost() throws {
    let storage = GatedStorage(layout)
    let writer = try makeWriter(CheckpointJournal.open(storage, layout: layout).journal)
    let (first, queue) = pair(1)
    writer.submit(first, queue: queue)
    storage.reached.wait()
    var second = pair(2).0
    writer.submit(second, queue: pair(2).1)
    second.volume = Volume(3)
    writer.submit(second)
    for _ in 0..<10 { storage.gate.signal() }
    #expect(writer.flush(within: minute))
    let opening = CheckpointJournal.open(storage.memory, layout: layout)
    #expect(opening.checkpoint == second && opening.queue == pair(2).1)
  }

  @Test func aFailureIsReportedAndItsQueueWrittenWithTheNext() throws {
    let storage = GatedStorage(layout)
    for _ in 0..<10 { storage.gate.signal() }
    storage.failNext(1)
    let writer = try makeWriter(CheckpointJournal.open(storage, layout: layout).journal)
    let (checkpoint, queue) = pair(1)
    let ticket = writer.submit(checkpoint, queue: queue)
    #expect(!writer.flush(within: minute))
    let report = try #require(writer.takeReport())
    #expect(report.ticket == ticket && report.failure?.code == EIO && report.checkpoints == 0)
    writer.submit(checkpoint)
    #expect(writer.flush(within: minute))
    let opening = CheckpointJournal.open(storage.memory, layout: layout)
    #expect(opening.checkpoint == checkpoint && opening.queue == queue)
  }

  @Test func aHangingStorageKeepsNobody() throws {
    let storage = GatedStorage(layout)
    let writer = try makeWriter(CheckpointJournal.open(storage, layout: layout).journal)
    writer.submit(pair(1).0, queue: pair(1).1)
    storage.reached.wait()
    #expect(!writer.flush(within: 1_000_000))
    for _ in 0..<10 { storage.gate.signal() }
  }

  @Test func theEventLoopHearsOfIt() throws {
    let storage = GatedStorage(layout)
    for _ in 0..<10 { storage.gate.signal() }
    let loop = try EventLoop()
    let writer = CheckpointWriter(
      CheckpointJournal.open(storage, layout: layout).journal, on: try ThreadWorker(loop))
    var reports: [CheckpointReport] = []
    writer.onReport = {
      if let report = writer.takeReport() { reports.append(report) }
    }
    defer { writer.onReport = {} }
    let ticket = writer.submit(pair(1).0, queue: pair(1).1)
    while reports.isEmpty { loop.turn(waits: true) }
    #expect(reports.map(\.ticket) == [ticket])
  }

  @Test func aRemovedFileIsMadeAnewWithTheQueue() throws {
    let folder = NSTemporaryDirectory() + "checkpoints-" + UUID().uuidString
    let path = folder + "/state"
    let layout = layout
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let writer = try makeWriter(nil) { () throws(SystemError) in
      try CheckpointFile.open(path, layout: layout)
    }
    let (checkpoint, queue) = pair(1)
    writer.submit(checkpoint, queue: queue)
    #expect(!writer.flush(within: minute), "there is no folder yet")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    writer.submit(checkpoint)
    #expect(writer.flush(within: minute))
    try FileManager.default.removeItem(atPath: path)
    writer.submit(checkpoint)
    #expect(!writer.flush(within: minute))
    writer.submit(checkpoint)
    #expect(writer.flush(within: minute))
    // Releasing the writer's journal releases the lock.
    _ = consume writer
    let opening = try CheckpointFile.open(path, layout: layout)
    #expect(opening.checkpoint == checkpoint && opening.queue == queue)
  }
}
