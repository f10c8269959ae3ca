// When to remember what, and the writer that does it in the background. Control thread; waits only at the start, and
// in `writeNow`.

import Checkpoints
import PlaybackModel
import Platform

/// Writes checkpoints of whatever `capture` finds.
final class CheckpointStore {
  /// What the file held when it was opened, before anything is written.
  let found: JournalOpening?
  /// Why the file cannot be used; nil if it can.
  let problem: SystemError?
  /// Told of what the writer found, for the log.
  var onNote: (String) -> Void = { _ in }
  /// Told of each checkpoint: whether it was written, and how long that took.
  var onWritten: (_ isOK: Bool, _ took: UInt64) -> Void = { _, _ in }
  /// The state of this moment; nil while there is nothing worth remembering.
  var capture: () -> (Checkpoint, PlayQueue)? = { nil }

  private let writer: CheckpointWriter
  private let scheduler: any Scheduler
  private var schedule = CheckpointSchedule()
  /// Until the next checkpoint is due; at the end, until it is too late for the last one.
  private let timer: DeadlineTimer
  private var begun: UInt64 = 0
  private var writtenRevision: UInt64?
  private var record: QueueRecord?
  private var onFinish: ((_ isSafe: Bool) -> Void)?
  private var isOver = false

  /// Opens the file; where that fails the writer goes on trying.
  init(path: String, on machine: any Machine) throws(SystemError) {
    scheduler = machine.scheduler
    timer = DeadlineTimer(scheduler)
    let files = machine.checkpoints
    let layout = CheckpointLayout()
    var opening: JournalOpening?
    var refusal: SystemError?
    do throws(SystemError) {
      opening = try CheckpointFile.open(path, layout: layout, in: files)
    } catch {
      refusal = error
    }
    found = opening
    problem = refusal
    writer = CheckpointWriter(opening?.journal, on: try machine.backgroundWorker()) {
      () throws(SystemError) in
      try CheckpointFile.open(path, layout: layout, in: files)
    }
    writer.onReport = { [unowned(unsafe) self] in takeReport() }
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
    return writer.flush(within: nanoseconds)
  }

  /// Writes for the last time, and calls `then` when that is done, or was not in so many nanoseconds: whether it is
  /// safe.
  func finish(within nanoseconds: UInt64, _ then: @escaping (_ isSafe: Bool) -> Void) {
    _ = submit()
    isOver = true
    onFinish = then
    timer.start(after: nanoseconds) { [unowned(unsafe) self] in finish() }
    if writer.isIdle { finish() }
  }

  private func finish() {
    timer.stop()
    let then = onFinish
    onFinish = nil
    then?(writer.isSafe)
  }

  private func plan() {
    guard !isOver else { return }
    timer.stop()
    guard let due = schedule.due else { return }
    timer.start(at: due) { [unowned(unsafe) self] in
      if schedule.isDue(at: scheduler.now) { _ = submit() }
      plan()
    }
  }

  private func submit() -> Bool {
    guard let (checkpoint, queue) = capture() else { return false }
    begun = scheduler.now
    schedule.begin(at: begun)
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
    guard !isOver else {
      if writer.isIdle { finish() }
      return
    }
    guard let report = writer.takeReport() else { return }
    let wasFailing = schedule.status.failuresInARow > 0
    schedule.finish(report, at: scheduler.now)
    onWritten(report.failure == nil, scheduler.now - begun)
    for note in report.notes { onNote(note) }
    if let failure = report.failure, !wasFailing {
      onNote("Checkpoints cannot be written: \(failure.description). Trying again.")
    } else if report.failure == nil, wasFailing {
      onNote("Checkpoints are written again.")
    }
    plan()
  }
}
