// A small text file of the box's state: read at the start, replaced when what it holds has changed. Control thread; the storage
// is waited for in the background.

import Checkpoints
import Platform

/// Keeps contents in a file.
final class KeptFile<Contents: KeptContents> {
  /// Changes that are remembered at most while the file is not read.
  private static var mostChanges: Int { 256 }

  /// What holds now; written by `keep`. Change it by `change`.
  private(set) var contents = Contents()
  /// Told of what goes wrong, for the log.
  var onNote: (String) -> Void = { _ in }
  /// Called when the file was read, also where that took several tries.
  var onRead: () -> Void = {}

  private let path: String
  private let files: any FileStore
  private let worker: any BackgroundWorker
  private let deadline: DeadlineTimer
  private var written = Contents()
  private var isRead = false
  private var isReading = false
  private var isWriting = false
  /// What was changed before the file was read, to be done again to what it holds.
  private var changes: [(inout Contents) -> Void] = []
  private var onFinish: (() -> Void)?

  /// What the worker leaves behind; looked at only after it is done.
  private final class Result: @unchecked Sendable {
    var bytes: [UInt8] = []
    var failure: SystemError?
  }

  /// A file among the box's state that is not read yet; `worker` does what waits for it.
  init(_ path: String, on machine: any Machine, worker: any BackgroundWorker) {
    self.path = path
    files = machine.stateFiles
    self.worker = worker
    deadline = DeadlineTimer(machine.scheduler)
  }

  /// Changes what holds now.
  func change(_ change: @escaping (inout Contents) -> Void) {
    change(&contents)
    if !isRead, changes.count < Self.mostChanges { changes.append(change) }
  }

  /// Reads the file in the background, and calls `then` when that is done or has failed. Bad lines and whatever else is wrong are
  /// told and worked around.
  func read(then: @escaping () -> Void = {}) {
    guard !isReading else { return then() }
    isReading = true
    let (path, files, result) = (path, files, Result())
    worker.run({
      do throws(SystemError) {
        result.bytes = try files.read(path, limit: Contents.longestFile)
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
      return onNote("No \(Contents.noun)s: \(failure.description).")
    }
    let (found, bad) = Contents.read(bytes)
    for line in bad { onNote("\(path), line \(line): no \(Contents.noun); skipped.") }
    isRead = true
    contents = found
    written = found
    for change in changes { change(&contents) }
    changes = []
    onRead()
  }

  /// Has the file written, if it is not as it should be; after what is being written.
  func keep() {
    guard isRead else {
      if !changes.isEmpty, onFinish == nil, !isReading {
        read { [unowned(unsafe) self] in if isRead { keep() } }
      }
      return
    }
    guard contents != written, !isWriting else { return }
    isWriting = true
    written = contents
    let (path, files, text, result) = (path, files, contents.text, Result())
    worker.run({
      do throws(SystemError) { try files.replace(path, with: text) } catch { result.failure = error }
    }) { [unowned(unsafe) self] refusal in
      isWriting = false
      if let failure = refusal ?? result.failure {
        onNote("\(path) was not written: \(failure.description). It is tried again with the next change.")
      }
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
}
