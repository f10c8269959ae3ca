// When to remember what, and the worker that opens the file and writes it. Control thread; waits only in `writeNow`.

import Checkpoints
import PlaybackModel
import Platform

/// Writes checkpoints of whatever `capture` finds.
final class CheckpointStore {
  /// Told of what the file held, once it is open and before anything is written.
  var onOpen: (JournalOpening) -> Void = { _ in }
  /// Told that the file could not be opened; it is tried again. Not told twice in a row.
  var onRefusal: () -> Void = {}
  /// Told when the worker begins to open or to write the file, and when it is done.
  var onWork: () -> Void = {}
  /// Told of what the writer found, for the log.
  var onNote: (String) -> Void = { _ in }
  /// Told of each checkpoint: whether it was written, and how long that took.
  var onWritten: (_ isOK: Bool, _ took: UInt64) -> Void = { _, _ in }
  /// The state of this moment; nil while there is nothing worth remembering.
  var capture: () -> (Checkpoint, PlayQueue)? = { nil }

  private let opener: CheckpointOpener
  private let scheduler: any Scheduler
  /// Writes to the open file; nil until it is open.
  private var writer: CheckpointWriter?
  private var schedule = CheckpointSchedule()
  /// Until the next checkpoint is due; at the end, until it is too late for the last one.
  private let timer: DeadlineTimer
  private var begun: UInt64 = 0
  /// The queue that was handed over last, and its revision.
  private var written: (revision: UInt64, record: QueueRecord)?
  private var onFinish: ((_ isSafe: Bool) -> Void)?
  private var isOver = false

  /// A store in a file that is not open yet; `worker` does what waits for it.
  init(path: String, on machine: any Machine, worker: any BackgroundWorker) {
    opener = CheckpointOpener(path: path, on: machine, worker: worker)
    scheduler = machine.scheduler
    timer = DeadlineTimer(scheduler)
  }

  /// The file.
  var path: String { opener.path }

  /// Whether the file is open. Nothing is written before.
  var isOpen: Bool { writer != nil }

  /// Since when the worker has been opening or writing the file; nil while it does nothing.
  var busySince: UInt64? { opener.busySince ?? (schedule.isWriting ? begun : nil) }

  /// Opens the file in the background; where that fails it is tried again.
  func open() {
    timer.stop()
    defer { onWork() }
    opener.open { [unowned(unsafe) self] found, failure in
      onWork()
      guard !isOver else { return }
      if let failure { refuse(failure) }
      if let found { take(found) }
    }
  }

  private func take(_ found: JournalOpening) {
    let writer = opener.writer(to: found.journal)
    writer.onReport = { [unowned(unsafe) self] in takeReport() }
    self.writer = writer
    schedule.didOpen()
    onOpen(found)
    plan()
  }

  private func refuse(_ failure: SystemError) {
    let isFirst = schedule.status.failuresInARow == 0
    schedule.finish(CheckpointReport(ticket: 0, failure: failure), at: scheduler.now)
    if isFirst {
      onNote("Checkpoints cannot be written: \(failure.description). Trying again.")
      onRefusal()
    }
    plan()
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
    guard let writer else { return false }
    guard submit(to: writer) else { return true }
    return writer.flush(within: nanoseconds)
  }

  /// Writes for the last time, and calls `then` when that is done, or was not in so many nanoseconds: whether it is
  /// safe. A file that is not open keeps what it holds.
  func finish(within nanoseconds: UInt64, _ then: @escaping (_ isSafe: Bool) -> Void) {
    isOver = true
    guard let writer else {
      timer.stop()
      return then(capture().map { $0.1.isEmpty } ?? true)
    }
    _ = submit(to: writer)
    onFinish = then
    timer.start(after: nanoseconds) { [unowned(unsafe) self] in finish() }
    if writer.isIdle { finish() }
  }

  private func finish() {
    timer.stop()
    let then = onFinish
    onFinish = nil
    then?(writer?.isSafe == true)
  }

  private func plan() {
    guard !isOver, opener.busySince == nil else { return }
    timer.stop()
    guard let due = schedule.due else { return }
    timer.start(at: due) { [unowned(unsafe) self] in
      guard let writer else { return open() }
      if schedule.isDue(at: scheduler.now) { _ = submit(to: writer) }
      plan()
    }
  }

  private func submit(to writer: CheckpointWriter) -> Bool {
    guard let (checkpoint, queue) = capture() else { return false }
    begun = scheduler.now
    schedule.begin(at: begun)
    if let written, written.revision == queue.revision, written.record.holds(checkpoint.state) {
      writer.submit(checkpoint)
    } else {
      let record = QueueRecord(queue, playing: checkpoint.state)
      written = (queue.revision, record)
      writer.submit(checkpoint, queue: record)
    }
    onWork()
    return true
  }

  private func takeReport() {
    guard let writer else { return }
    guard !isOver else {
      if writer.isIdle { finish() }
      return
    }
    guard let report = writer.takeReport() else { return }
    let wasFailing = schedule.status.failuresInARow > 0
    schedule.finish(report, at: scheduler.now)
    onWork()
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
