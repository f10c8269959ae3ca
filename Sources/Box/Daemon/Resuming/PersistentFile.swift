// Asynchronous load and save of a small text file with the daemon's state (alarms, tags, playlists, …). Control thread;
// storage is accessed by a background worker.

import Checkpoints
import Platform

/// Contents that are persisted to a file. Without a file, or before its path is known, they are kept in memory.
final class PersistentFile<Contents: KeptContents>: StoredState {
  /// Maximum number of changes recorded before the file is loaded.
  private static var maxChanges: Int { 256 }
  /// Nanoseconds that the shutdown waits for the last write.
  private static var endTimeout: UInt64 { 2_000_000_000 }

  /// Current contents. Modify with `change`, and save with `keep`.
  private(set) var contents = Contents()
  /// Receives problems for the log.
  var onNote: (String) -> Void = { _ in }
  /// Called when the file was loaded, possibly after retries.
  var onRead: () -> Void = {}
  /// Called when loading failed for a reason that a retry does not remove, such as a symbolic link in the file's place.
  var onRefused: () -> Void = {}

  /// The running background job.
  private enum Work { case none, reading, writing }

  /// Path of the file; nil while unknown, or if nothing is persisted.
  private var path: String?
  private let files: any FileStore
  private let worker: any BackgroundWorker
  private let scheduler: any Scheduler
  private let deadline: DeadlineTimer
  private let retryTimer: DeadlineTimer
  /// Backoff between retries after a failed read or write.
  private var backOff = BackOff(first: 1_000_000_000, longest: 60_000_000_000)
  private var written = Contents()
  /// Whether the file was loaded. Before that, `contents` has only the changes made so far.
  private(set) var isRead = false
  /// Error of the last attempt to load the file; nil: none failed, or the file is loaded.
  private(set) var readFailure: SystemError?
  private var work = Work.none
  /// Changes made before the file was loaded, to be applied to its contents.
  private var changes: [(inout Contents) -> Void] = []
  private var onFinish: (() -> Void)?
  private let waiters: StoreWaiters
  var trouble: StoreTrouble?

  /// Result of a job. Written by the worker, read by the control thread after the job has finished.
  private final class Result: @unchecked Sendable {
    var bytes: [UInt8] = []
    var failure: SystemError?
  }

  /// Creates empty contents without a file.
  init(on machine: any Machine, worker: any BackgroundWorker) {
    files = machine.stateFiles
    self.worker = worker
    scheduler = machine.scheduler
    deadline = DeadlineTimer(machine.scheduler)
    retryTimer = DeadlineTimer(machine.scheduler)
    waiters = StoreWaiters(machine.scheduler)
  }

  /// Whether the current contents are on storage, or there is no file.
  private var isStored: Bool {
    guard path != nil else { return true }
    if case .writing = work { return false }
    return isRead && contents == written && backOff.tries == 0
  }

  /// Why the contents are not known, without a full stop; nil if the file is loaded or has not failed to load.
  var unread: String? {
    readFailure.map { "the \(Contents.noun)s cannot be read: " + $0.description }
  }

  func whenStored(_ then: @escaping (StoreOutcome) -> Void) {
    guard !isStored, let path else { return then(.stored) }
    waiters.add(path: path, then)
    // A new change is a reason to retry a failed write at once.
    if case .none = work { keep() }
  }

  /// Modifies the contents. A change made before the file is loaded is applied again to the loaded contents.
  func change(_ change: @escaping (inout Contents) -> Void) {
    change(&contents)
    if !isRead, changes.count < Self.maxChanges { changes.append(change) }
  }

  /// Replaces the contents, including those of a file that is not loaded yet.
  func replace(with contents: Contents) {
    self.contents = contents
    if !isRead { changes = [{ $0 = contents }] }
  }

  /// Loads the file in the background. Invalid lines are logged and skipped; read errors are retried with a backoff.
  ///
  /// - Parameters:
  ///   - path: Path of the file.
  ///   - then: Called after the first attempt, whether or not it succeeded.
  func open(_ path: String, then: @escaping () -> Void = {}) {
    guard self.path == nil else { return then() }
    self.path = path
    read(then: then)
  }

  private func read(then: @escaping () -> Void) {
    guard case .none = work, let path else { return then() }
    work = .reading
    let (files, result) = (files, Result())
    worker.run({
      do throws(SystemError) {
        result.bytes = try files.read(path, limit: Contents.maxFileBytes)
      } catch {
        result.failure = error
      }
    }) { [unowned(unsafe) self] refusal in
      work = .none
      take(result.bytes, refusal ?? result.failure)
      then()
    }
  }

  private func take(_ bytes: [UInt8], _ failure: SystemError?) {
    if let failure, failure.code != SystemError.noSuchFile {
      readFailure = failure
      // Do not overwrite a file that could not be read: changes made so far are not saved.
      if !changes.isEmpty { trouble?.note(path ?? "", failure) }
      waiters.finish(.failed(failure))
      tryLater("The \(Contents.noun) file cannot be read: \(failure.description).")
      if failure.isRefusedFile { onRefused() }
      return
    }
    readFailure = nil
    let (found, bad) = Contents.read(bytes)
    for line in bad { onNote("\(path ?? ""), line \(line): no \(Contents.noun); skipped.") }
    isRead = true
    backOff.reset()
    contents = found
    written = found
    for change in changes { change(&contents) }
    changes = []
    keep()
    if isStored { trouble?.note(path ?? "", nil) }
    onRead()
  }

  /// Logs the first failure of a series and schedules a retry.
  private func tryLater(_ sentence: String) {
    if backOff.tries == 0 { onNote(sentence + " It is tried again.") }
    guard onFinish == nil else { return }
    retryTimer.start(after: backOff.next(at: scheduler.now)) { [unowned(unsafe) self] in keep() }
  }

  /// Saves the contents if they have changed. During a write, the save follows it.
  func keep() {
    guard case .none = work, let path else { return }
    guard isRead else {
      if onFinish == nil { read { [unowned(unsafe) self] in if isRead { keep() } } }
      return
    }
    guard contents != written || backOff.tries > 0 else { return }
    work = .writing
    written = contents
    let (files, text, result) = (files, contents.text, Result())
    worker.run({
      do throws(SystemError) { try files.replace(path, with: text) } catch { result.failure = error }
    }) { [unowned(unsafe) self] refusal in
      work = .none
      didWrite(refusal ?? result.failure)
      finishIfDone()
    }
  }

  private func didWrite(_ failure: SystemError?) {
    guard let failure else {
      backOff.reset()
      retryTimer.stop()
      trouble?.note(path ?? "", nil)
      keep()
      if isStored { waiters.finish(.stored) }
      return
    }
    trouble?.note(path ?? "", failure)
    waiters.finish(.failed(failure))
    let isSettled = contents == written
    tryLater("\(path ?? "") was not written: \(failure.description).")
    // Changes made during the failed write have not been tried yet.
    if !isSettled { keep() }
  }

  /// Saves the contents for the last time.
  ///
  /// - Parameter then: Called when done, or after a timeout.
  func finish(_ then: @escaping () -> Void) {
    onFinish = then
    deadline.start(after: Self.endTimeout) { [unowned(unsafe) self] in
      onNote("\(path ?? "") could not be written in time.")
      work = .none
      finishIfDone()
    }
    keep()
    finishIfDone()
  }

  private func finishIfDone() {
    if case .writing = work { return }
    guard let then = onFinish else { return }
    onFinish = nil
    deadline.stop()
    retryTimer.stop()
    then()
  }
}
