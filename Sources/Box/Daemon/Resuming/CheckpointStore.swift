// Schedules and writes checkpoints on a background worker. Control thread; blocks only in `writeNow`.

import Checkpoints
import PlaybackModel
import Platform

/// Writes the state returned by `capture` to the checkpoint file.
final class CheckpointStore {
  /// Receives the file's contents once it is open, before anything is written.
  var onOpen: (JournalOpening) -> Void = { _ in }
  /// Called when opening the file fails for the first time; opening is retried.
  var onRefusal: () -> Void = {}
  /// Called when a storage request begins or ends.
  var onWork: () -> Void = {}
  /// Receives problems for the log.
  var onNote: (String) -> Void = { _ in }
  /// Called after each checkpoint with its success and duration in nanoseconds.
  var onWritten: (_ isOK: Bool, _ took: UInt64) -> Void = { _, _ in }
  /// Captures the current state; nil if there is nothing to save.
  var capture: () -> (Checkpoint, PlayQueue)? = { nil }

  private let opener: CheckpointOpener
  private let scheduler: any Scheduler
  /// Writer of the open file; nil until it is open.
  private var writer: CheckpointWriter?
  private var schedule = CheckpointSchedule()
  /// Expires when the next checkpoint is due; after `finish`, when the last one times out.
  private let timer: DeadlineTimer
  private var begun: UInt64 = 0
  /// The queue that was last passed to the writer, and its revision.
  private var written: (revision: UInt64, record: QueueRecord)?
  private var onFinish: ((_ isSafe: Bool) -> Void)?
  private var isOver = false

  /// Creates a store without opening the file.
  init(path: String, on machine: any Machine, worker: any BackgroundWorker) {
    opener = CheckpointOpener(path: path, on: machine, worker: worker)
    scheduler = machine.scheduler
    timer = DeadlineTimer(scheduler)
  }

  /// Path of the file.
  var path: String { opener.path }

  /// Whether the file is open. Nothing is written before.
  var isOpen: Bool { writer != nil }

  /// Scheduler time since which the file is being opened or written; nil: neither.
  var busySince: UInt64? { opener.busySince ?? (schedule.isWriting ? begun : nil) }

  /// Opens the file in the background, and retries on failure.
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

  /// State of checkpoint writing.
  var status: CheckpointStatus { schedule.status }

  /// Scheduler time of the next retry; nil if the last write succeeded.
  var retryAt: UInt64? { schedule.retryAt }

  /// Sets the checkpoint interval during playback, which bounds how much is lost in a power cut.
  func setInterval(_ interval: Seconds) {
    schedule.settings.interval = interval
    plan()
  }

  /// Schedules a checkpoint after a change of the player.
  ///
  /// - Parameters:
  ///   - state: The current state.
  ///   - isTransition: Whether to write at once, rather than within the interval for this state.
  func note(_ state: PlayerState, isTransition: Bool) {
    schedule.note(isTransition ? .atOnce : CheckpointSchedule.Urgency(within: state))
    schedule.isPlaying = state.isActive
    plan()
  }

  /// Schedules a checkpoint soon, for changes that come in bursts, such as the volume.
  func noteSetting() {
    schedule.note(.soon)
    plan()
  }

  /// Schedules a checkpoint at once after a change of the queue or the sleep timer.
  func noteQueue() {
    schedule.note(.atOnce)
    plan()
  }

  /// Writes a checkpoint and blocks until it is durable.
  ///
  /// - Parameter nanoseconds: Timeout.
  /// - Returns: Whether it was written in time.
  func writeNow(within nanoseconds: UInt64) -> Bool {
    guard let writer else { return false }
    guard submit(to: writer) else { return true }
    return writer.flush(within: nanoseconds)
  }

  /// Writes the last checkpoint. A file that is not open keeps its contents.
  ///
  /// - Parameters:
  ///   - nanoseconds: Timeout.
  ///   - then: Called when done or after the timeout; receives whether the state is durable.
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
