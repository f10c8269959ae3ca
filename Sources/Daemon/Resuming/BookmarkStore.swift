// The file with the places in long tracks: read at the start, replaced when a long track is left. Control thread;
// the storage is waited for in the background, but for the start.

import Checkpoints
import PlaybackModel
import Platform

/// Stores bookmarks in a file.
final class BookmarkStore {
  /// What holds now; written by `keep`.
  var bookmarks = Bookmarks()
  /// Told of what goes wrong, for the log.
  var onNote: (String) -> Void = { _ in }

  private let path: String
  private let files: any FileStore
  private let worker: any BackgroundWorker
  private let deadline: DeadlineTimer
  private var written = Bookmarks()
  private var isWriting = false
  private var onFinish: (() -> Void)?

  /// What the worker leaves behind; looked at only after it is done.
  private final class Result: @unchecked Sendable { var failure: SystemError? }

  init(beside checkpoint: String, on machine: any Machine) throws(SystemError) {
    path = checkpoint + ".bookmarks"
    files = machine.files
    worker = try machine.backgroundWorker()
    deadline = DeadlineTimer(machine.scheduler)
  }

  /// Reads the file; bad lines and whatever else is wrong are told and worked around.
  func read() {
    do throws(SystemError) {
      let (found, bad) = Bookmarks.read(try files.read(path, limit: Bookmarks.longestFile))
      bookmarks = found
      written = found
      for line in bad { onNote("\(path), line \(line): not a bookmark; skipped.") }
    } catch {
      if error.code != SystemError.noSuchFile { onNote("No bookmarks: \(error.description).") }
    }
  }

  /// Has the file written, if it is not as it should be; after what is being written.
  func keep() {
    guard bookmarks != written, !isWriting else { return }
    isWriting = true
    written = bookmarks
    let (path, files, text, result) = (path, files, bookmarks.text, Result())
    worker.run({
      do throws(SystemError) { try files.replace(path, with: text) } catch { result.failure = error }
    }) { [unowned(unsafe) self] refusal in
      isWriting = false
      if let failure = refusal ?? result.failure { tell(failure) }
      keep()
      finishIfDone()
    }
  }

  /// Has it written for the last time, and calls `then` when that is done, or was not in so many nanoseconds.
  func finish(within nanoseconds: UInt64, _ then: @escaping () -> Void) {
    onFinish = then
    deadline.start(after: nanoseconds) { [unowned(unsafe) self] in
      onNote("\(path) could not be written in time.")
      isWriting = false
      finishIfDone()
    }
    keep()
    finishIfDone()
  }

  private func finishIfDone() {
    guard !isWriting, let then = onFinish else { return }
    onFinish = nil
    deadline.stop()
    then()
  }

  private func tell(_ failure: SystemError) {
    onNote(
      "The bookmarks were not written: \(failure.description). Trying again when the next long track is left."
    )
  }
}
