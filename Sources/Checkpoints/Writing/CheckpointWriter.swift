// Writes checkpoints on a thread of its own, because a sync of an SD card can take seconds. Used by the
// control thread, which never waits for it but in `flush` and `stop`.

import CLinux
import Platform
import PlaybackModel
import Synchronization

/// Takes checkpoints and writes the newest. One that was not begun yet is replaced by the next.
public final class CheckpointWriter {
  private let work: CheckpointWork
  private let thread: BackgroundThread
  private var lastTicket: UInt64 = 0
  private var hasStopped = false

  /// A writer to a journal. `reopen` is called on the writer's thread to get a journal where there is none
  /// (nil) or where the file has gone; without it such writes fail. The first submission must come with a
  /// queue.
  public init(
    _ journal: consuming CheckpointJournal?,
    reopen: (@Sendable () throws(SystemError) -> JournalOpening)? = nil
  ) throws(SystemError) {
    let work = CheckpointWork(journal, reopen, jobs: try WakeUp(), reports: try WakeUp())
    self.work = work
    thread = try BackgroundThread { work.run() }
  }

  deinit { _ = stop(within: 0) }

  /// For the event loop: readable when there is a report. Take it with `takeReport`.
  public var descriptor: Int32 { work.reportWake.descriptor }

  /// Hands a checkpoint over, and the queue's record if the queue has changed since it was last handed over.
  /// Never waits. A queue is kept until it is written, whatever fails and whatever replaces the
  /// checkpoint it came with. Returns the ticket that the report will name.
  @discardableResult
  public func submit(_ checkpoint: Checkpoint, queue: QueueRecord? = nil) -> UInt64 {
    lastTicket += 1
    let replaced = work.jobs.take()
    work.jobs.put(CheckpointJob(lastTicket, checkpoint, queue ?? replaced?.queue))
    work.jobWake.signal()
    return lastTicket
  }

  /// The newest report that was not taken yet.
  public func takeReport() -> CheckpointReport? {
    work.reportWake.clear()
    return work.reports.take()?.report
  }

  /// Waits until what was submitted last is done, at most that many nanoseconds; whether it is safe. The
  /// report can be taken afterwards as usual.
  public func flush(within nanoseconds: UInt64) -> Bool {
    let end = MonotonicClock.now() + nanoseconds
    while work.finished.load(ordering: .acquiring) < lastTicket {
      let now = MonotonicClock.now()
      guard now < end else { break }
      work.reportWake.wait(Int64(clamping: end - now))
    }
    work.reportWake.signal()
    return work.safe.load(ordering: .acquiring) == lastTicket
  }

  /// Flushes and ends the thread; whether everything is safe. A thread that hangs in the storage is left
  /// behind. Nothing can be submitted afterwards.
  public func stop(within nanoseconds: UInt64) -> Bool {
    guard !hasStopped else { return work.safe.load(ordering: .acquiring) == lastTicket }
    hasStopped = true
    let isSafe = flush(within: nanoseconds)
    work.isStopping.store(true, ordering: .releasing)
    work.jobWake.signal()
    if work.finished.load(ordering: .acquiring) == lastTicket {
      thread.join()
    } else {
      thread.abandon()
    }
    return isSafe
  }
}

private final class CheckpointJob: Sendable {
  let ticket: UInt64
  let checkpoint: Checkpoint
  let queue: QueueRecord?

  init(_ ticket: UInt64, _ checkpoint: Checkpoint, _ queue: QueueRecord?) {
    self.ticket = ticket
    self.checkpoint = checkpoint
    self.queue = queue
  }
}

private final class ReportLetter: Sendable {
  let report: CheckpointReport
  init(_ report: CheckpointReport) { self.report = report }
}

/// What the two threads share, and what only the writer's thread touches.
private final class CheckpointWork: @unchecked Sendable {
  let jobs = Mailbox<CheckpointJob>()
  let reports = Mailbox<ReportLetter>()
  let jobWake: WakeUp
  let reportWake: WakeUp
  let finished = Atomic<UInt64>(0)
  let safe = Atomic<UInt64>(0)
  let isStopping = Atomic<Bool>(false)

  // The writer's thread only.
  private var journal: CheckpointJournal?
  private let reopen: (@Sendable () throws(SystemError) -> JournalOpening)?
  private var queue: QueueRecord?
  private var isQueueWritten = true
  private var report = CheckpointReport(ticket: 0)

  init(
    _ journal: CheckpointJournal?, _ reopen: (@Sendable () throws(SystemError) -> JournalOpening)?,
    jobs: WakeUp, reports: WakeUp
  ) {
    self.journal = journal
    self.reopen = reopen
    jobWake = jobs
    reportWake = reports
  }

  func run() {
    while true {
      while let job = jobs.take() { perform(job) }
      if isStopping.load(ordering: .acquiring) { return }
      jobWake.wait(nil)
    }
  }

  private func perform(_ job: CheckpointJob) {
    if let queue = job.queue {
      self.queue = queue
      isQueueWritten = false
    }
    report.ticket = job.ticket
    report.failure = nil
    report.notes = []
    do throws(SystemError) {
      let journal = try openJournal()
      let receipt = try journal.write(job.checkpoint, queue: isQueueWritten ? nil : queue)
      isQueueWritten = true
      report.checkpoints += 1
      report.bytes += UInt64(receipt.bytes)
      report.pages += UInt64(receipt.pages)
      report.isQueueComplete = receipt.isQueueComplete
      safe.store(job.ticket, ordering: .releasing)
    } catch {
      report.failure = error
      // The file was removed or replaced: what is written to it would be lost.
      if reopen != nil, error.code == ENOENT || error.code == ESTALE { journal = nil }
    }
    reports.put(ReportLetter(report))
    finished.store(job.ticket, ordering: .releasing)
    reportWake.signal()
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
