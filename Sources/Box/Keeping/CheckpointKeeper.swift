// When to remember what, and the writer that does it on a thread of its own. Control thread; waits only for
// `finish`.

import Checkpoints
import PlaybackModel
import Platform

/// Writes checkpoints of whatever `capture` finds.
final class CheckpointKeeper {
  /// What the file held when it was opened, before anything is written.
  let found: JournalOpening?
  /// Why the file cannot be used; nil if it can.
  let problem: SystemError?
  /// Told of what the writer found, for the log.
  var onNote: (String) -> Void = { _ in }
  /// The state of this moment; nil while there is nothing worth remembering.
  var capture: () -> (Checkpoint, PlayQueue)? = { nil }

  private let writer: CheckpointWriter
  private let events: EventLoop
  private var schedule = CheckpointSchedule()
  private var token: EventLoop.Token?
  private var timer: EventLoop.Token?
  private var writtenRevision: UInt64?
  private var record: QueueRecord?

  /// Opens the file; where that fails the writer goes on trying.
  init(path: String, events: EventLoop) throws(SystemError) {
    self.events = events
    let layout = CheckpointLayout()
    var opening: JournalOpening?
    var refusal: SystemError?
    do throws(SystemError) {
      opening = try CheckpointFile.open(path, layout: layout)
    } catch {
      refusal = error
    }
    found = opening
    problem = refusal
    writer = try CheckpointWriter(opening?.journal) { () throws(SystemError) in
      try CheckpointFile.open(path, layout: layout)
    }
    token = try events.add(readable: writer.descriptor) { [self] in takeReport() }
  }

  /// How the checkpoints fare.
  var status: CheckpointStatus { schedule.status }

  /// When a failed one is tried again, on the monotonic clock; nil where none has failed.
  var retryAt: UInt64? { schedule.retryAt }

  /// Sets how much of play may be lost.
  func setInterval(_ interval: Seconds) {
    schedule.settings.interval = interval
    plan()
  }

  /// The player has changed; in more than what is known of a track, if it `isTransition`.
  func note(_ state: PlayerState, isTransition: Bool) {
    schedule.note(isTransition ? .atOnce : CheckpointSchedule.Urgency(within: state))
    schedule.isPlaying = state.isActive
    plan()
  }

  /// Something of which there can be many in a row has changed: the volume.
  func noteSetting() {
    schedule.note(.soon)
    plan()
  }

  /// The queue or the sleep timer has changed: somebody ordered that.
  func noteQueue() {
    schedule.note(.atOnce)
    plan()
  }

  /// Writes at once and waits until it is safe, so long at most. Whether it is.
  func writeNow(within nanoseconds: UInt64) -> Bool {
    guard submit() else { return true }
    let isSafe = writer.flush(within: nanoseconds)
    takeReport()
    return isSafe
  }

  /// Writes for the last time and ends the writer.
  func finish(within nanoseconds: UInt64) -> Bool {
    _ = submit()
    if let token { events.remove(token) }
    if let timer { events.remove(timer) }
    return writer.stop(within: nanoseconds)
  }

  private func plan() {
    if let timer { events.remove(timer) }
    timer = nil
    guard let due = schedule.due else { return }
    let now = MonotonicClock.now()
    timer = events.after(due > now ? due - now : 0) { [self] in
      timer = nil
      if schedule.isDue(at: MonotonicClock.now()) { _ = submit() }
      plan()
    }
  }

  private func submit() -> Bool {
    guard let (checkpoint, queue) = capture() else { return false }
    schedule.begin(at: MonotonicClock.now())
    if writtenRevision == queue.revision, let record, record.holds(checkpoint.state) {
      writer.submit(checkpoint)
    } else {
      let record = QueueRecord(queue, playing: checkpoint.state)
      self.record = record
      writtenRevision = queue.revision
      writer.submit(checkpoint, queue: record)
    }
    return true
  }

  private func takeReport() {
    guard let report = writer.takeReport() else { return }
    let wasFailing = schedule.status.failuresInARow > 0
    schedule.finish(report, at: MonotonicClock.now())
    for note in report.notes { onNote(note) }
    if let failure = report.failure, !wasFailing {
      onNote("Checkpoints cannot be written: \(failure.description). Trying again.")
    } else if report.failure == nil, wasFailing {
      onNote("Checkpoints are written again.")
    }
    plan()
  }
}
