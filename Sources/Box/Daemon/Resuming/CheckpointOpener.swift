// Opens the checkpoint's file where waiting harms nobody. Control thread, but for the work itself.

import Checkpoints
import Platform

/// Opens a file in the background, and makes its writer.
final class CheckpointOpener {
  /// The file.
  let path: String
  /// Since when it is being opened; nil while it is not.
  private(set) var busySince: UInt64?
  private let files: any CheckpointFiles
  private let worker: any BackgroundWorker
  private let scheduler: any Scheduler

  /// What the worker leaves behind; looked at only after it is done.
  private final class Opening: @unchecked Sendable {
    var journal: JournalOpening?
    var failure: SystemError?
  }

  /// Opens nothing yet; `worker` does what waits for the file.
  init(path: String, on machine: any Machine, worker: any BackgroundWorker) {
    self.path = path
    self.worker = worker
    files = machine.checkpoints
    scheduler = machine.scheduler
  }

  /// Opens it; `then` gets what it holds, or why it cannot be opened.
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

  /// A writer to the open file, which opens it again where it has gone.
  func writer(to journal: CheckpointJournal) -> CheckpointWriter {
    let (path, files) = (path, files)
    return CheckpointWriter(journal, on: worker) { () throws(SystemError) in
      try CheckpointFile.open(path, in: files)
    }
  }
}
