// Opens the checkpoint file in the background. Control thread, except for the job itself.

import Checkpoints
import Platform

/// Opens the checkpoint file on a background worker and creates its writer.
final class CheckpointOpener {
  /// Path of the file.
  let path: String
  /// Scheduler time since which the file is being opened; nil: it is not.
  private(set) var busySince: UInt64?
  private let files: any CheckpointFiles
  private let worker: any BackgroundWorker
  private let scheduler: any Scheduler

  /// Result of opening. Written by the worker, read by the control thread after the job has finished.
  private final class Opening: @unchecked Sendable {
    var journal: JournalOpening?
    var failure: SystemError?
  }

  /// Creates an opener without opening the file.
  init(path: String, on machine: any Machine, worker: any BackgroundWorker) {
    self.path = path
    self.worker = worker
    files = machine.checkpoints
    scheduler = machine.scheduler
  }

  /// Opens the file.
  ///
  /// - Parameter then: Receives its contents, or the error.
  func open(then: @escaping (JournalOpening?, SystemError?) -> Void) {
    guard busySince == nil else { return }
    busySince = scheduler.now
    let (path, files, opening) = (path, files, Opening())
    worker.run({
      do throws(SystemError) {
        opening.journal = try CheckpointFile.open(path, in: files)
      } catch {
        opening.failure = error
      }
    }) { [unowned(unsafe) self] refusal in
      busySince = nil
      then(opening.journal, refusal ?? opening.failure)
    }
  }

  /// Writer for the opened file; it reopens the file if that has been deleted.
  func writer(to journal: CheckpointJournal) -> CheckpointWriter {
    let (path, files) = (path, files)
    return CheckpointWriter(journal, on: worker) { () throws(SystemError) in
      try CheckpointFile.open(path, in: files)
    }
  }
}
