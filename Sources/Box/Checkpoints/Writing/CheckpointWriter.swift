// Has checkpoints written by a background worker, because a sync of an SD card can take seconds. Control thread,
// which never waits but in `flush`.

import CLinux
import Platform
import PlaybackModel

/// Takes checkpoints and has the newest written. One that was not begun yet is replaced by the next.
package final class CheckpointWriter {
  private struct Job: Sendable {
    let ticket: UInt64
    let checkpoint: Checkpoint
    let queue: QueueRecord?
  }

  /// Called when there is a report. Take it with `takeReport`.
  package var onReport: () -> Void = {}

  private let worker: any BackgroundWorker
  private let work: CheckpointWork
  private var lastTicket: UInt64 = 0
  private var isWriting = false
  private var waiting: Job?
  private var report: CheckpointReport?

  /// A writer to a journal; the worker is its own. `reopen` is called by the worker to get a journal where there is
  /// none (nil) or where the file has gone; without it such writes fail. The first submission must come with a queue.
  package init(
    _ journal: consuming CheckpointJournal?, on worker: any BackgroundWorker,
    reopen: (@Sendable () throws(SystemError) -> JournalOpening)? = nil
  ) {
    self.worker = worker
    work = CheckpointWork(journal, reopen)
  }

  /// Whether everything that was submitted was done, or has failed.
  package var isIdle: Bool { !isWriting }

  /// Whether what was submitted last is safe.
  package var isSafe: Bool { !isWriting && work.safe == lastTicket }

  /// Hands a checkpoint over, and the queue's record if the queue has changed since it was last handed over.
  /// Never waits. A queue is kept until it is written, whatever fails and whatever replaces the
  /// checkpoint it came with. Returns the ticket that the report will name.
  @discardableResult
  package func submit(_ checkpoint: Checkpoint, queue: QueueRecord? = nil) -> UInt64 {
    lastTicket += 1
    waiting = Job(ticket: lastTicket, checkpoint: checkpoint, queue: queue ?? waiting?.queue)
    writeNext()
    return lastTicket
  }

  /// The newest report that was not taken yet.
  package func takeReport() -> CheckpointReport? {
    defer { report = nil }
    return report
  }

  /// Waits until what was submitted last is done, at most that many nanoseconds; whether it is safe. The
  /// report can be taken afterwards as usual.
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

/// What only the worker touches while it writes, and only the control thread otherwise.
private final class CheckpointWork: @unchecked Sendable {
  /// The last submission that is safe.
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
      // The file was removed or replaced: what is written to it would be lost.
      if reopen != nil, error.code == ENOENT || error.code == ESTALE { journal = nil }
    }
  }

  /// The worker could not even begin.
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
