// The flash writes of a day of music, counted in bytes. Test threads.
import Checkpoints
import PlaybackModel
import Platform
import Testing

private let second: UInt64 = 1_000_000_000
private let rate = SampleRate(48_000)
private let latency = second / 50

/// A box in use, in simulated time: a schedule, a journal, a queue.
private final class BoxInUse {
  let storage: CountingStorage
  let layout = CheckpointLayout()
  private(set) var writes = 0
  /// The longest time by which playback was ahead of the last safe checkpoint.
  private(set) var longestGap: UInt64 = 0
  private(set) var last: Checkpoint?
  private(set) var queue = PlayQueue(seed: 1)
  private let journal: CheckpointJournal
  private var schedule = CheckpointSchedule()
  private var now: UInt64 = 100 * second
  private var state = PlayerState.idle(cause: nil, armed: .disarmed)
  private var volume: Float = 40
  private var writtenRevision: UInt64?
  private var savedAt: UInt64?
  /// A position of the track and its time.
  private var start: (position: Frames, time: UInt64) = (.zero, 0)

  init(tracks: Int) throws {
    storage = CountingStorage(empty(layout))
    journal = CheckpointJournal.open(storage, layout: layout).journal
    var random = ShuffleGenerator(seed: 3)
    for i in 0..<tracks { try queue.add(randomTrack(i, &random)) }
    queue.shuffle(true)
    queue.repeatMode = .all
  }

  func next() -> Track { queue.advance()! }

  /// Enters a state and lets some seconds pass.
  func enter(_ state: PlayerState, from position: Frames? = nil, for seconds: Double) {
    start = (position ?? self.position, now)
    self.state = state
    schedule.isPlaying = state.isActive
    schedule.note(.atOnce)
    pass(seconds)
  }

  /// Turns the knob by ten steps in a second.
  func turnKnob() {
    for _ in 0..<10 {
      volume += Int(volume) % 2 == 0 ? 3 : -3
      schedule.note(.soon)
      pass(0.1)
    }
  }

  func pass(_ seconds: Double) {
    let end = now + UInt64(seconds * 1e9)
    while let due = schedule.due, max(due, now) < end {
      now = max(due, now)
      schedule.begin(at: now)
      let report = write()
      now += latency
      if let savedAt, writes > 3 { longestGap = max(longestGap, now - savedAt) }
      savedAt = state.isActive ? now - latency : nil
      schedule.finish(report, at: now)
    }
    now = max(now, end)
  }

  var position: Frames {
    guard state.isActive else { return start.position }
    return Frames(start.position.count + Int64((now - start.time) / 1000 * 48 / 1000))
  }

  private func write() -> CheckpointReport {
    var fading = state
    var moment = Moment(time: now, current: position)
    if case .crossfading(let from, let to, let curve, let progress, let pace) = state {
      let index = Frames(Int64((now - start.time) / 1000 * 48 / 1000))
      let moved = FadeProgress(index: min(index, progress.length), length: progress.length)
      fading = .crossfading(from: from, to: to, curve: curve, progress: moved, pace: pace)
      (moment.next, moment.fade) = (moved.index, moved)
    }
    let checkpoint = Checkpoint(
      state: fading, moment: moment, rate: rate, volume: Volume(volume), cursor: queue.cursor)
    let record = writtenRevision == queue.revision ? nil : QueueRecord(queue, playing: state)
    writtenRevision = queue.revision
    do {
      _ = try journal.write(checkpoint, queue: record)
      writes += 1
      last = checkpoint
    } catch {
      Issue.record("\(error)")
    }
    return CheckpointReport(ticket: UInt64(writes))
  }
}

@Suite struct FlashBudgetTests {
  /// Eight hours of tracks of 3.5 min, with a turn of the knob every twelve minutes and a pause every hour.
  private func day(fade: Double?) throws -> BoxInUse {
    let box = try BoxInUse(tracks: 60)
    var playing = box.next()
    box.enter(.preparing(track: playing, intent: .play, start: .zero), from: .zero, for: 0.2)
    let tracks = 8 * 3600 / 210
    for number in 0..<tracks {
      box.enter(.playing(track: playing), from: number == 0 || fade == nil ? .zero : nil, for: 60)
      if number % 3 == 0 { box.turnKnob() } else { box.pass(1) }
      if number % 17 == 0 {
        box.enter(.paused(track: playing, position: box.position, reason: .user), for: 300)
        box.enter(.playing(track: playing), for: 20)
      }
      box.pass(119)
      let next = box.next()
      if let fade {
        let plan = PlannedFade(
          .automatic, Fade(length: Frames(Int64(fade * 48_000)), curve: .equalPower), start: box.position,
          isArmed: true)
        box.enter(.preparingCrossfade(current: playing, next: next, plan: plan), for: 30 - fade)
        let progress = FadeProgress(index: .zero, length: plan.fade.length)
        box.enter(
          .crossfading(from: playing, to: next, curve: .equalPower, progress: progress, pace: .ordered),
          for: fade)
      } else {
        box.pass(30)
      }
      playing = next
    }
    return box
  }

  /// The budget stated by CheckpointJournal and decision 10.
  @Test(arguments: [nil, 5, 12])
  func aYearOfEightHoursADayIsLessThanFiftyMegabytes(fade: Double?) throws {
    let box = try day(fade: fade)
    let perYear = Double(box.storage.written) * 365 / 1e6
    #expect(perYear < 50, "\(perYear) MB in \(box.writes) checkpoints a day")
    #expect(box.writes >= 8 * 360 && box.longestGap <= 10 * second)
    let found = CheckpointJournal.open(box.storage, layout: box.layout)
    #expect(found.checkpoint?.moment.current == box.last?.moment.current && found.notes.isEmpty)
    #expect(found.queue?.snapshot.entries.count == 60)
  }
}
