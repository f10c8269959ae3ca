// Writes checkpoints on a background worker, because syncing an SD card can take seconds. Control thread;
// only `flush` blocks.

import CLinux
import Platform
import PlaybackModel

/// Accepts checkpoints and writes the newest one. A waiting checkpoint is replaced by the next.
package final class CheckpointWriter {
  private struct Job: Sendable {
    let ticket: UInt64
    let checkpoint: Checkpoint
    let queue: QueueRecord?
  }

  /// Called when a report is available from `takeReport`.
  package var onReport: () -> Void = {}

  private let worker: any BackgroundWorker
  private let work: CheckpointWork
  private var lastTicket: UInt64 = 0
  private var isWriting = false
  private var waiting: Job?
  private var report: CheckpointReport?

  /// Creates a writer. The first submission must include a queue.
  ///
  /// - Parameters:
  ///   - journal: The journal; nil if it could not be opened yet.
  ///   - worker: The worker, for this writer's exclusive use.
  ///   - reopen: Called by the worker to open a journal if there is none or its file has gone; nil: such
  ///     writes fail.
  package init(
    _ journal: consuming CheckpointJournal?, on worker: any BackgroundWorker,
    reopen: (@Sendable () throws(SystemError) -> JournalOpening)? = nil
  ) {
    self.worker = worker
    work = CheckpointWork(journal, reopen)
  }

  /// Whether all submissions have succeeded or failed.
  package var isIdle: Bool { !isWriting }

  /// Whether the last submission has been synced.
  package var isSafe: Bool { !isWriting && work.safe == lastTicket }

  /// Submits a checkpoint without blocking.
  ///
  /// - Parameters:
  ///   - checkpoint: The checkpoint.
  ///   - queue: The queue's record if it has changed since the last submission. It is kept until it is
  ///     written, even if writing fails or the checkpoint is replaced.
  /// - Returns: The ticket that the report names.
  @discardableResult
  package func submit(_ checkpoint: Checkpoint, queue: QueueRecord? = nil) -> UInt64 {
    lastTicket += 1
    waiting = Job(ticket: lastTicket, checkpoint: checkpoint, queue: queue ?? waiting?.queue)
    writeNext()
    return lastTicket
  }

  /// The newest report that has not been taken yet.
  package func takeReport() -> CheckpointReport? {
    defer { report = nil }
    return report
  }

  /// Blocks until the last submission is done, or until the timeout. Reports can be taken as usual.
  ///
  /// - Parameter nanoseconds: The timeout.
  /// - Returns: Whether the last submission has been synced.
  package func flush(within nanoseconds: UInt64) -> Bool {
    _ = worker.wait(within: nanoseconds)
    return isSafe
  }

  private func writeNext() {
    guard !isWriting, let job = waiting else { return }
    waiting = nil
    isWriting = true
    let work = work
    worker.run({ work.perform(job.ticket, job.checkpoint, job.queue) }) { [unowned(unsafe) self] refusal in
      isWriting = false
      if let refusal { work.refuse(job.ticket, job.queue, refusal) }
      report = work.report
      writeNext()
      onReport()
    }
  }
}

/// State shared with the worker: only the worker uses it during a write, and only the control thread
/// otherwise.
private final class CheckpointWork: @unchecked Sendable {
  /// The last submission that has been synced.
  private(set) var safe: UInt64 = 0
  private(set) var report = CheckpointReport(ticket: 0)
  private var journal: CheckpointJournal?
  private let reopen: (@Sendable () throws(SystemError) -> JournalOpening)?
  private var queue: QueueRecord?
  private var isQueueWritten = true

  init(_ journal: CheckpointJournal?, _ reopen: (@Sendable () throws(SystemError) -> JournalOpening)?) {
    self.journal = journal
    self.reopen = reopen
  }

  func perform(_ ticket: UInt64, _ checkpoint: Checkpoint, _ queue: QueueRecord?) {
    begin(ticket, queue)
    do throws(SystemError) {
      let journal = try openJournal()
      let receipt = try journal.write(checkpoint, queue: isQueueWritten ? nil : self.queue)
      isQueueWritten = true
      report.checkpoints += 1
      report.bytes += UInt64(receipt.bytes)
      report.pages += UInt64(receipt.pages)
      report.isQueueComplete = receipt.isQueueComplete
      safe = ticket
    } catch {
      report.failure = error
      // The file was deleted or replaced, so further writes to it would be lost.
      if reopen != nil, error.code == ENOENT || error.code == ESTALE { journal = nil }
    }
  }

  /// Reports that the worker could not start.
  func refuse(_ ticket: UInt64, _ queue: QueueRecord?, _ error: SystemError) {
    begin(ticket, queue)
    report.failure = error
  }

  private func begin(_ ticket: UInt64, _ queue: QueueRecord?) {
    if let queue {
      self.queue = queue
      isQueueWritten = false
    }
    report.ticket = ticket
    report.failure = nil
    report.notes = []
  }

  private func openJournal() throws(SystemError) -> CheckpointJournal {
    if let journal { return journal }
    guard let reopen else { throw SystemError("open", on: "checkpoint file", code: ENOENT) }
    let opening = try reopen()
    report.notes = opening.notes
    journal = opening.journal
    isQueueWritten = queue == nil
    return opening.journal
  }
}
