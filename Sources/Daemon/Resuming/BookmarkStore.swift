// The file with the places in long tracks: read at the start, replaced when a long track is left. Control thread;
// the storage is waited for in the background.

import Checkpoints
import PlaybackModel
import Platform

/// Stores bookmarks in a file.
final class BookmarkStore {
  /// What holds now; written by `keep`. Change it by `change`.
  private(set) var bookmarks = Bookmarks()
  /// Told of what goes wrong, for the log.
  var onNote: (String) -> Void = { _ in }

  private let path: String
  private let files: any FileStore
  private let worker: any BackgroundWorker
  private let deadline: DeadlineTimer
  private var written = Bookmarks()
  private var isRead = false
  private var isReading = false
  private var isWriting = false
  /// What was changed before the file was read, to be done again to what it holds.
  private var changes: [(inout Bookmarks) -> Void] = []
  private var onFinish: (() -> Void)?

  /// What the worker leaves behind; looked at only after it is done.
  private final class Result: @unchecked Sendable {
    var bytes: [UInt8] = []
    var failure: SystemError?
  }

  /// Bookmarks in a file that is not read yet; `worker` does what waits for it.
  init(beside checkpoint: String, on machine: any Machine, worker: any BackgroundWorker) {
    path = checkpoint + ".bookmarks"
    files = machine.stateFiles
    self.worker = worker
    deadline = DeadlineTimer(machine.scheduler)
  }

  /// Changes what holds now.
  func change(_ change: @escaping (inout Bookmarks) -> Void) {
    change(&bookmarks)
    if !isRead, changes.count < Bookmarks.most { changes.append(change) }
  }

  /// Reads the file in the background, and calls `then` when that is done or has failed. Bad lines and whatever else is wrong are
  /// told and worked around.
  func read(then: @escaping () -> Void = {}) {
    guard !isReading else { return then() }
    isReading = true
    let (path, files, result) = (path, files, Result())
    worker.run({
      do throws(SystemError) {
        result.bytes = try files.read(path, limit: Bookmarks.longestFile)
      } catch {
        result.failure = error
      }
    }) { [unowned(unsafe) self] refusal in
      isReading = false
      take(result.bytes, refusal ?? result.failure)
      then()
    }
  }

  private func take(_ bytes: [UInt8], _ failure: SystemError?) {
    if let failure, failure.code != SystemError.noSuchFile {
      // What cannot be read must not be replaced. It is tried again with the next change.
      return onNote("No bookmarks: \(failure.description).")
    }
    let (found, bad) = Bookmarks.read(bytes)
    for line in bad { onNote("\(path), line \(line): not a bookmark; skipped.") }
    isRead = true
    bookmarks = found
    written = found
    for change in changes { change(&bookmarks) }
    changes = []
  }

  /// Has the file written, if it is not as it should be; after what is being written.
  func keep() {
    guard isRead else {
      if !changes.isEmpty, onFinish == nil, !isReading {
        read { [unowned(unsafe) self] in if isRead { keep() } }
      }
      return
    }
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
