// A small text file of the box's state: read at the start, replaced when what it holds has changed. Control thread; the storage
// is waited for in the background.

import Checkpoints
import Platform

/// Keeps contents in a file. Until it is known which file that is, and where there is none, they are kept in memory.
final class PersistentFile<Contents: KeptContents>: StoredState {
  /// Changes that are remembered at most while the file is not read.
  private static var maxChanges: Int { 256 }
  /// Nanoseconds that the end of the box waits for it.
  private static var endTimeout: UInt64 { 2_000_000_000 }

  /// What holds now; written by `keep`. Change it by `change`.
  private(set) var contents = Contents()
  /// Told of what goes wrong, for the log.
  var onNote: (String) -> Void = { _ in }
  /// Called when the file was read, also where that took several tries.
  var onRead: () -> Void = {}

  /// What is being done in the background.
  private enum Work { case none, reading, writing }

  /// The file; nil while it is not known, or where nothing is kept.
  private var path: String?
  private let files: any FileStore
  private let worker: any BackgroundWorker
  private let scheduler: any Scheduler
  private let deadline: DeadlineTimer
  private let retryTimer: DeadlineTimer
  /// While the file could not be read or written: the waits before it is tried again.
  private var backOff = BackOff(first: 1_000_000_000, longest: 60_000_000_000)
  private var written = Contents()
  /// Whether the file was read; what holds before is only what was changed.
  private(set) var isRead = false
  private var work = Work.none
  /// What was changed before the file was read, to be done again to what it holds.
  private var changes: [(inout Contents) -> Void] = []
  private var onFinish: (() -> Void)?
  private let waiters: StoreWaiters
  var trouble: StoreTrouble?

  /// What the worker leaves behind; looked at only after it is done.
  private final class Result: @unchecked Sendable {
    var bytes: [UInt8] = []
    var failure: SystemError?
  }

  /// No file yet; `worker` does what waits for it.
  init(on machine: any Machine, worker: any BackgroundWorker) {
    files = machine.stateFiles
    self.worker = worker
    scheduler = machine.scheduler
    deadline = DeadlineTimer(machine.scheduler)
    retryTimer = DeadlineTimer(machine.scheduler)
    waiters = StoreWaiters(machine.scheduler)
  }

  /// Whether what holds now is in the file, or nothing is kept in one.
  private var isStored: Bool {
    guard path != nil else { return true }
    if case .writing = work { return false }
    return isRead && contents == written && backOff.tries == 0
  }

  func whenStored(_ then: @escaping (StoreOutcome) -> Void) {
    guard !isStored, let path else { return then(.stored) }
    waiters.add(path: path, then)
    // A change is a reason to try at once what has failed before.
    if case .none = work { keep() }
  }

  /// Changes what holds now.
  func change(_ change: @escaping (inout Contents) -> Void) {
    change(&contents)
    if !isRead, changes.count < Self.maxChanges { changes.append(change) }
  }

  /// Changes all that holds now, whatever the file holds.
  func replace(with contents: Contents) {
    self.contents = contents
    if !isRead { changes = [{ $0 = contents }] }
  }

  /// Reads a file among the box's state in the background, and calls `then` when that is done or has failed. Bad lines and whatever
  /// else is wrong are told and worked around; what cannot be read is tried again by itself. What was changed before is done to what
  /// the file holds.
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
      // What cannot be read must not be replaced.
      waiters.finish(.failed(failure))
      return tryLater("No \(Contents.noun)s: \(failure.description).")
    }
    let (found, bad) = Contents.read(bytes)
    for line in bad { onNote("\(path ?? ""), line \(line): no \(Contents.noun); skipped.") }
    isRead = true
    backOff.reset()
    contents = found
    written = found
    for change in changes { change(&contents) }
    changes = []
    keep()
    onRead()
  }

  /// Says once what is wrong, and tries again after a wait.
  private func tryLater(_ sentence: String) {
    if backOff.tries == 0 { onNote(sentence + " It is tried again.") }
    guard onFinish == nil else { return }
    retryTimer.start(after: backOff.next(at: scheduler.now)) { [unowned(unsafe) self] in keep() }
  }

  /// Has the file written, if it is not as it should be; after what is being written.
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
      trouble?.note(path ?? "", isFailing: false)
      keep()
      if isStored { waiters.finish(.stored) }
      return
    }
    trouble?.note(path ?? "", isFailing: true)
    waiters.finish(.failed(failure))
    let isSettled = contents == written
    tryLater("\(path ?? "") was not written: \(failure.description).")
    // What was changed meanwhile has not been tried yet.
    if !isSettled { keep() }
  }

  /// Has it written for the last time, and calls `then` when that is done, or was not in time.
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
