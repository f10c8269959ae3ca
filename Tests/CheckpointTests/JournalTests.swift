// The journal on working storage: checkpoints are read as written, across restarts and layouts. Test threads.
import Checkpoints
import PlaybackModel
import Platform
import Testing

@Suite struct JournalTests {
  private let layout = CheckpointLayout(areaBytes: 8192)

  @Test func anEmptyJournalIsFresh() {
    let opening = CheckpointJournal.open(empty(layout), layout: layout)
    #expect(opening.checkpoint == nil && opening.queue == nil && opening.notes.isEmpty)
  }

  @Test(arguments: 0..<60)
  func whatIsWrittenIsRead(seed: Int) throws {
    var random = ShuffleGenerator(seed: UInt64(seed))
    let storage = empty(layout)
    var journal = CheckpointJournal.open(storage, layout: layout).journal
    var sequence: UInt64 = 0
    for _ in 0..<12 {
      let (checkpoint, record) = randomPair(&random)
      let receipt = try journal.write(checkpoint, queue: record)
      #expect(receipt.sequence > sequence && receipt.isQueueComplete)
      sequence = receipt.sequence
      let opening = CheckpointJournal.open(storage, layout: layout)
      #expect(opening.checkpoint == checkpoint && opening.queue == record && opening.notes.isEmpty)
      guard opening.checkpoint == checkpoint else { return }
      if Bool.random(using: &random) { journal = opening.journal }
    }
  }
}
