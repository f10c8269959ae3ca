// The guarantee: whenever the power fails and whatever happens to unsynced writes, the checkpoint read
// afterwards is complete and not older than the last acknowledged one. Test threads.
import Checkpoints
import Foundation
import PlaybackModel
import Platform
import Testing

/// The life of a player: checkpoints, some with a changed queue, and a process that is killed and restarted.
private struct Life {
  struct Attempt {
    var checkpoint: Checkpoint
    var queue: QueueRecord
  }

  let layout = CheckpointLayout(areaBytes: 8192)
  let storage: PowerStorage
  private(set) var attempts: [Attempt] = []
  private(set) var acknowledged = -1
  private var random: ShuffleGenerator

  init(seed: Int, image: [UInt8]? = nil, lastOperation: Int = .max, failsOneIn: Int = 0) {
    storage = PowerStorage(
      image ?? [UInt8](repeating: 0, count: layout.fileBytes), seed: UInt64(seed))
    storage.lastOperation = lastOperation
    storage.failsOneIn = failsOneIn
    random = ShuffleGenerator(seed: UInt64(seed))
  }

  mutating func run(steps: Int) {
    var journal = CheckpointJournal.open(storage, layout: layout).journal
    var (checkpoint, queue) = randomPair(&random)
    var isQueueWritten = false
    for step in 0..<steps where storage.hasPower {
      if Int.random(in: 0..<2, using: &random) == 0 {
        (checkpoint, queue) = randomPair(&random)
        isQueueWritten = false
      }
      let isKilled = Int.random(in: 0..<4, using: &random) == 0
      if isKilled { storage.lifeLeft = Int.random(in: 0...4, using: &random) }
      // Half of the steps change the position only, which identifies them.
      checkpoint.moment.current = Frames(1_000_000_000 + Int64(step))
      attempts.append(Attempt(checkpoint: checkpoint, queue: queue))
      if (try? journal.write(checkpoint, queue: isQueueWritten ? nil : queue)) != nil {
        isQueueWritten = true
        acknowledged = attempts.count - 1
      }
      guard isKilled else { continue }
      storage.lifeLeft = .max
      let opening = CheckpointJournal.open(storage, layout: layout)
      journal = opening.journal
      if let found = opening.checkpoint, let record = opening.queue { (checkpoint, queue) = (found, record) }
      isQueueWritten = false
    }
  }

  /// Cuts the power and checks the remaining content.
  func check(_ tear: Tear, seed: Int) {
    let left = MemoryStorage(storage.image(tear, seed: UInt64(seed)))
    let opening = CheckpointJournal.open(left, layout: layout)
    let found = attempts.lastIndex { $0.checkpoint == opening.checkpoint }
    if let checkpoint = opening.checkpoint {
      #expect(found != nil, "\(tear): something that was never written: \(checkpoint)")
      #expect(found.map { attempts[$0].queue } == opening.queue, "\(tear): with another queue")
    }
    #expect(found ?? -1 >= acknowledged, "\(tear): older than what was acknowledged; \(opening.notes)")
    var again = Checkpoint(
      state: .idle(cause: nil, armed: .armed), moment: Moment(time: 99), rate: SampleRate(48_000),
      volume: Volume(7))
    again.cursor.repeatMode = .all
    #expect(throws: Never.self) { _ = try opening.journal.write(again) }
    #expect(CheckpointJournal.open(left, layout: layout).checkpoint == again)
  }
}

/// SWIFTLET_SOAK=20 runs twenty times as many cases.
private let effort = Int(ProcessInfo.processInfo.environment["SWIFTLET_SOAK"] ?? "") ?? 1

@Suite struct PowerCutTests {
  @Test(arguments: 0..<5 * effort)
  func theLastAcknowledgedSurvivesACutAtEveryOperation(seed: Int) {
    var whole = Life(seed: seed)
    whole.run(steps: 14)
    #expect(whole.acknowledged >= 0)
    for operation in 1...whole.storage.operations {
      var life = Life(seed: seed, lastOperation: operation)
      life.run(steps: 14)
      #expect(!life.storage.hasPower)
      for tear in Tear.allCases { life.check(tear, seed: seed * 1000 + operation) }
    }
  }

  @Test(arguments: 0..<60 * effort)
  func itSurvivesAFailingStorageToo(seed: Int) {
    var random = ShuffleGenerator(seed: UInt64(seed) + 77)
    var life = Life(
      seed: seed, lastOperation: Int.random(in: 1...150, using: &random),
      failsOneIn: Int.random(in: 2...8, using: &random))
    life.run(steps: 80)
    for tear in Tear.allCases { life.check(tear, seed: seed) }
  }

  @Test func aStorageThatAlwaysFailsLosesNothing() throws {
    let layout = CheckpointLayout(areaBytes: 8192)
    var random = ShuffleGenerator(seed: 5)
    let storage = PowerStorage(empty(layout).bytes)
    let journal = CheckpointJournal.open(storage, layout: layout).journal
    let (good, queue) = randomPair(&random)
    _ = try journal.write(good, queue: queue)
    storage.failsOneIn = 1
    // More often than there are slots and areas.
    for _ in 0..<200 {
      let (checkpoint, other) = randomPair(&random)
      #expect(throws: SystemError.self) {
        try journal.write(checkpoint, queue: Bool.random(using: &random) ? other : nil)
      }
    }
    let left = CheckpointJournal.open(MemoryStorage(storage.image(.nothing, seed: 1)), layout: layout)
    #expect(left.checkpoint != nil && left.queue != nil)
  }

  /// Tracks that are added, removed and added again, while the storage fails in the meantime.
  @Test(arguments: 0..<20) func aQueueThatIsWantedAgainIsWhole(seed: Int) throws {
    let layout = CheckpointLayout(areaBytes: 8192)
    var random = ShuffleGenerator(seed: UInt64(seed) + 5000)
    let storage = PowerStorage(empty(layout).bytes, seed: UInt64(seed))
    let journal = CheckpointJournal.open(storage, layout: layout).journal
    let (first, again, other) = (randomPair(&random), randomPair(&random), randomPair(&random))
    _ = try journal.write(first.0, queue: first.1)
    // Its queue is written, its slot is not.
    storage.lifeLeft = 2
    #expect(throws: SystemError.self) { try journal.write(again.0, queue: again.1) }
    storage.lifeLeft = .max
    storage.failsOneIn = 1
    #expect(throws: SystemError.self) { try journal.write(other.0, queue: other.1) }
    storage.failsOneIn = 0
    _ = try journal.write(again.0, queue: again.1)
    let left = CheckpointJournal.open(MemoryStorage(storage.image(.nothing, seed: 1)), layout: layout)
    #expect(left.checkpoint == again.0 && left.queue == again.1, "\(left.notes)")
  }
}
