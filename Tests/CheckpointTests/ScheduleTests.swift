// When checkpoints are written, in simulated time; and how many bytes an hour of play costs.
import Checkpoints
import PlaybackModel
import Platform
import Testing

private let second: UInt64 = 1_000_000_000
private let error = SystemError("fdatasync", on: "/state", code: 5)

/// A player whose storage takes `latency`, in simulated time.
private struct Shell {
  var schedule = CheckpointSchedule()
  var now: UInt64 = 100 * second
  var latency: UInt64 = second / 100
  var failure: SystemError?
  /// When each was begun.
  private(set) var begun: [UInt64] = []
  private var ticket: UInt64 = 0
  var write: () throws -> Void = {}

  /// Lets time pass, writing whatever is due.
  mutating func pass(until end: UInt64) {
    while let due = schedule.due, max(due, now) < end {
      now = max(due, now)
      begun.append(now)
      schedule.begin(at: now)
      try? write()
      now += latency
      ticket += 1
      schedule.finish(CheckpointReport(ticket: ticket, failure: failure), at: now)
    }
    now = max(now, end)
  }

  mutating func pass(_ time: UInt64) { pass(until: now + time) }
}

@Suite struct ScheduleTests {
  @Test func nothingIsWrittenWhileNothingChanges() {
    var shell = Shell()
    #expect(shell.schedule.due == nil)
    shell.schedule.note(.soon)
    shell.pass(second)
    #expect(shell.begun.count == 1)
    shell.pass(3600 * second)
    #expect(shell.begun.count == 1 && shell.schedule.due == nil)
  }

  @Test(arguments: [second / 100, second, 3 * second])
  func whilePlayingNoMoreThanTheIntervalIsLost(latency: UInt64) {
    var shell = Shell()
    shell.latency = latency
    shell.schedule.isPlaying = true
    shell.pass(600 * second)
    // At any instant the state that is safe is at most 10 s old, once the latency is known.
    for (before, after) in zip(shell.begun.dropFirst(), shell.begun.dropFirst(2)) {
      #expect(after + latency - before <= 10 * second)
    }
    let most = 600 * second / (10 * second - latency) + 2
    #expect(shell.begun.count >= 60 && shell.begun.count <= Int(most))
    shell.schedule.isPlaying = false
    #expect(shell.schedule.due == nil)
  }

  @Test func burstsAreGatheredAndTheLastIsWritten() {
    var shell = Shell()
    for _ in 0..<600 {
      shell.schedule.note(.soon)
      shell.pass(second / 10)
    }
    let last = shell.now
    shell.pass(10 * second)
    #expect(shell.begun.count <= 125 && shell.begun.count >= 100, "two a second for a minute")
    #expect(shell.begun.last! >= last - second / 10 && shell.begun.last! <= last + second)
    #expect(shell.schedule.due == nil)
  }

  @Test func aPauseIsWrittenAtOnceUnlessItNeverEnds() {
    var shell = Shell()
    shell.schedule.note(.soon)
    shell.pass(second / 50)
    shell.schedule.note(.atOnce)
    #expect(shell.schedule.due! <= shell.now, "although the last one was just now")
    shell.pass(second / 50)
    #expect(shell.begun.count == 2)
    for _ in 0..<1000 {
      shell.schedule.note(.atOnce)
      shell.pass(second / 50)
    }
    #expect(shell.begun.count <= 2 + 8 + 40, "20 s, two a second in the long run")
    let paused = PlayerState.paused(track: Track(id: 1, path: ""), position: .zero, reason: .user)
    #expect(CheckpointSchedule.Urgency(within: paused) == .atOnce)
    #expect(CheckpointSchedule.Urgency(within: .playing(track: Track(id: 1, path: ""))) == .soon)
  }

  /// Three skips within half a second, each two transitions: none of them is lost with the power.
  @Test func quickOrdersAreEachWrittenAtOnce() {
    var shell = Shell()
    shell.schedule.isPlaying = true
    shell.pass(second)
    for count in 1...6 {
      shell.schedule.note(.atOnce)
      shell.pass(second / 20)
      #expect(shell.begun.count == 1 + count)
    }
  }

  @Test func failuresAreTriedAgainLessAndLessOften() {
    var shell = Shell()
    shell.failure = error
    shell.schedule.isPlaying = true
    shell.pass(3600 * second)
    let gaps = zip(shell.begun, shell.begun.dropFirst()).map { $1 - $0 }
    let wanted = [1, 2, 4, 8, 16, 32] + [UInt64](repeating: 60, count: max(0, gaps.count - 6))
    // None is longer, or shorter by more than an eighth.
    let inTime = zip(gaps, wanted).allSatisfy { $0 <= $1 * second && $0 >= $1 * second / 8 * 7 }
    #expect(inTime, "\(gaps.map { Double($0) / 1e9 })")
    #expect(shell.schedule.status.failuresInARow == shell.begun.count)
    #expect(shell.schedule.status.lastFailure == error && shell.schedule.status.age(at: shell.now) == nil)
    #expect(shell.schedule.status.sentence(at: shell.now).contains("/state"))
    shell.failure = nil
    shell.pass(130 * second)
    #expect(shell.schedule.status.failuresInARow == 0 && shell.schedule.status.age(at: shell.now)! <= 10)
    #expect(!shell.schedule.status.sentence(at: shell.now).contains("failing"))
  }

  @Test func aFailureIsTriedAgainAlsoWhilePaused() {
    var shell = Shell()
    shell.failure = error
    shell.schedule.note(.atOnce)
    shell.pass(second / 2)
    shell.failure = nil
    shell.pass(10 * second)
    #expect(shell.begun.count == 2 && shell.schedule.due == nil)
  }

  @Test func oneIsWrittenAtATime() {
    var schedule = CheckpointSchedule()
    schedule.note(.atOnce)
    #expect(schedule.isDue(at: 5 * second))
    schedule.begin(at: 5 * second)
    schedule.note(.atOnce)
    #expect(schedule.due == nil && schedule.isWriting)
    schedule.finish(CheckpointReport(ticket: 1), at: 9 * second)
    #expect(schedule.isDue(at: 9 * second))
  }
}

@Suite struct BudgetTests {
  /// The budget that CheckpointJournal states.
  @Test func anHourOfPlayStaysWithinTheBudget() throws {
    var random = ShuffleGenerator(seed: 3)
    let layout = CheckpointLayout()
    let storage = CountingStorage(empty(layout))
    let journal = CheckpointJournal.open(storage, layout: layout).journal
    var queue = PlayQueue(seed: 1)
    for i in 0..<500 { try queue.add(randomTrack(i, &random)) }
    queue.shuffle(true)
    var revision = queue.revision - 1
    var (bytes, pages) = (0, 0)
    var shell = Shell()
    shell.schedule.isPlaying = true
    for track in 0..<20 {
      let playing = PlayerState.playing(track: queue.advance()!)
      shell.write = {
        let checkpoint = Checkpoint(
          state: playing, moment: Moment(time: 0), rate: SampleRate(48_000), volume: Volume(50),
          cursor: queue.cursor)
        let isChanged = queue.revision != revision
        revision = queue.revision
        let receipt = try journal.write(
          checkpoint, queue: isChanged ? QueueRecord(queue, playing: playing) : nil)
        bytes += receipt.bytes
        pages += receipt.pages
      }
      // Preparing the fade, the fade, its end.
      for _ in 0..<3 {
        shell.schedule.note(.soon)
        shell.pass(5 * second)
      }
      shell.pass(until: 100 * second + UInt64(track + 1) * 180 * second)
    }
    #expect(shell.begun.count >= 360 && storage.written == bytes)
    #expect(bytes <= 512 << 10, "\(bytes) bytes in \(shell.begun.count) checkpoints")
    #expect(pages <= 512, "\(pages) pages of 4 KiB")
    #expect(CheckpointJournal.open(storage, layout: layout).queue?.snapshot.entries.count == 500)
  }

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
    // The same queue costs nothing when it is given again.
    #expect(try journal.write(checkpoint, queue: record).bytes == 512)
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

private final class CountingStorage: CheckpointStorage {
  let storage: MemoryStorage
  private(set) var written = 0

  init(_ storage: MemoryStorage) { self.storage = storage }
  var size: Int { storage.size }
  func read(at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
    try storage.read(at: offset, count: count)
  }
  func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
    written += bytes.count
    try storage.write(bytes, at: offset)
  }
  func sync() throws(SystemError) {}
}
