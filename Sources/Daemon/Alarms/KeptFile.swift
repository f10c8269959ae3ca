// A small file of the box's own, read once and replaced as what it keeps changes. Control thread; the storage is waited for in
// the background.

import Platform

/// Keeps a text in a file.
final class KeptFile {
  /// Told of what goes wrong, for the log.
  var onNote: (String) -> Void = { _ in }

  private let path: String
  private let files: any FileStore
  private let worker: any BackgroundWorker
  private let deadline: DeadlineTimer
  private var wanted: [UInt8]?
  private var written: [UInt8]?
  private var isBusy = false
  private var onFinish: (() -> Void)?

  /// What the worker leaves behind; looked at only after it is done.
  private final class Result: @unchecked Sendable {
    var text: [UInt8]?
    var failure: SystemError?
  }

  /// A file among the box's state; `worker` does what waits for it.
  init(_ path: String, on machine: any Machine, worker: any BackgroundWorker) {
    self.path = path
    files = machine.stateFiles
    self.worker = worker
    deadline = DeadlineTimer(machine.scheduler)
  }

  /// Reads at most so many bytes, and answers them, or nil where there is no such file or it cannot be read. What is
  /// to be kept meanwhile is written afterwards.
  func read(limit: Int, then: @escaping ([UInt8]?) -> Void) {
    isBusy = true
    let (path, files, result) = (path, files, Result())
    worker.run({
      do throws(SystemError) { result.text = try files.read(path, limit: limit) } catch {
        result.failure = error
      }
    }) { [unowned(unsafe) self] refusal in
      isBusy = false
      written = result.text
      if let failure = refusal ?? result.failure, failure.code != SystemError.noSuchFile {
        onNote("\(path) was not read: \(failure.description).")
      }
      then(result.text)
      write()
    }
  }

  /// Has the file written, if it does not hold this; after whatever is being read or written.
  func keep(_ text: [UInt8]) {
    wanted = text
    write()
  }

  /// Calls `then` when everything is written, or was not in so many nanoseconds.
  func finish(within nanoseconds: UInt64, _ then: @escaping () -> Void) {
    onFinish = then
    deadline.start(after: nanoseconds) { [unowned(unsafe) self] in
      onNote("\(path) could not be written in time.")
      isBusy = false
      finishIfDone()
    }
    finishIfDone()
  }

  private func write() {
    guard let text = wanted, !isBusy else { return finishIfDone() }
    wanted = nil
    guard text != written else { return finishIfDone() }
    isBusy = true
    let (path, files, result) = (path, files, Result())
    worker.run({
      do throws(SystemError) { try files.replace(path, with: text) } catch { result.failure = error }
    }) { [unowned(unsafe) self] refusal in
      isBusy = false
      let failure = refusal ?? result.failure
      // What was not written is written with the next change.
      written = failure == nil ? text : nil
      if let failure { onNote("\(path) was not written: \(failure.description).") }
      write()
    }
  }

  private func finishIfDone() {
    guard !isBusy, wanted == nil, let then = onFinish else { return }
    onFinish = nil
    deadline.stop()
    then()
  }
}
