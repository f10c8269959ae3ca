// The size of a queue in the checkpoint file, and what is kept of a queue that does not fit. Test threads.
import Checkpoints
import PlaybackModel
import Platform
import Testing

@Suite struct QueueSizeTests {
  @Test func tenThousandTracksFitAndAreSmall() throws {
    var queue = PlayQueue(seed: 1)
    for i in 0..<PlayQueue.limit {
      var track = Track(
        id: 0, path: "/media/usb/Some Artist \(i / 100)/The Album \(i / 10)/\(i % 10) - A Song Title.flac")
      (track.title, track.artist, track.album) = (
        "A Song Title \(i)", "Some Artist \(i / 100)", "The Album \(i / 10)"
      )
      (track.trackNumber, track.length) = (i % 10, Frames(48_000 * 200 + Int64(i)))
      track.loudness = Loudness(trackGain: -7, trackPeak: 0.9, albumGain: -7, albumPeak: 1)
      try queue.add(track)
    }
    queue.prioritize(17..<19, 255)
    queue.prioritize(9999..<10_000, 1)
    queue.shuffle(true)
    let state = PlayerState.playing(track: queue.advance()!)
    let record = QueueRecord(queue, playing: state)
    let checkpoint = Checkpoint(
      state: state, moment: Moment(time: 0), rate: SampleRate(48_000), volume: Volume(50),
      cursor: queue.cursor)
    let storage = empty(CheckpointLayout())
    let journal = CheckpointJournal.open(storage, layout: CheckpointLayout()).journal
    let receipt = try journal.write(checkpoint, queue: record)
    #expect(receipt.isQueueComplete && receipt.bytes < 100 * PlayQueue.limit)
    let opening = CheckpointJournal.open(storage, layout: CheckpointLayout())
    #expect(opening.queue == record && opening.checkpoint == checkpoint)
    // An unchanged queue is not written again.
    #expect(try journal.write(checkpoint, queue: record).bytes == 28)
  }

  @Test func aQueueThatDoesNotFitKeepsWhatIsPlayed() throws {
    let layout = CheckpointLayout(areaBytes: 64 << 10)
    let storage = empty(layout)
    let journal = CheckpointJournal.open(storage, layout: layout).journal
    var queue = PlayQueue(seed: 1)
    for i in 0..<1000 {
      try queue.add(Track(id: 0, path: "/\(i)/" + String(repeating: "x", count: 300) + "\(i)"))
    }
    queue.shuffle(true)
    for _ in 0..<700 { _ = queue.advance() }
    let state = PlayerState.paused(track: queue.current!, position: Frames(12_345), reason: .user)
    let checkpoint = Checkpoint(
      state: state, moment: Moment(time: 0), rate: SampleRate(48_000), volume: Volume(50),
      cursor: queue.cursor)
    #expect(try !journal.write(checkpoint, queue: QueueRecord(queue, playing: state)).isQueueComplete)
    let opening = CheckpointJournal.open(storage, layout: layout)
    let record = try #require(opening.queue)
    #expect(opening.checkpoint == checkpoint && !record.isComplete)
    let restored = record.queue(at: checkpoint.cursor)
    #expect(restored.current == queue.current && restored.count >= 100)
    #expect(restored.upcoming == Array(queue.upcoming.prefix(restored.count - 1)))
  }
}
