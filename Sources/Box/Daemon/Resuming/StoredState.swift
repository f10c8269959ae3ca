// Lets commands wait until their change is on storage before they reply. Control thread; never blocks.

import Console
import Platform

/// Result of storing a change.
enum StoreOutcome {
  case stored
  case failed(SystemError)
  /// The storage has not responded in time.
  case late(path: String)

  /// The reply for the user: unchanged if stored, or an error.
  func applied(to reply: Reply) -> Reply {
    switch self {
    case .stored: reply
    case .failed(let error):
      .failed(
        "not saved: " + error.description
          + "; it counts until the power goes. Writing is tried again, and the log says when it fails for another reason"
      )
    case .late(let path):
      .failed(
        "not saved yet: the storage of " + path
          + " does not answer; check that it is plugged in properly. It counts until the power goes")
    }
  }
}

/// A state file whose writes can be awaited. Class-bound for Embedded Swift.
protocol StoredState: AnyObject {
  /// Receives failed and successful writes.
  var trouble: StoreTrouble? { get set }
  /// Calls `then` once: when all changes so far are on storage, when writing fails, or after a timeout.
  func whenStored(_ then: @escaping (StoreOutcome) -> Void)
}

/// Callers waiting for one file to be written.
final class StoreWaiters {
  /// Nanoseconds after which a caller gets `late`.
  static let timeout: UInt64 = 2_000_000_000

  private final class Waiter {
    var then: ((StoreOutcome) -> Void)?
    let timer: DeadlineTimer

    init(_ scheduler: any Scheduler, _ then: @escaping (StoreOutcome) -> Void) {
      self.then = then
      timer = DeadlineTimer(scheduler)
    }

    func finish(_ outcome: StoreOutcome) {
      timer.stop()
      let then = then
      self.then = nil
      then?(outcome)
    }
  }

  private let scheduler: any Scheduler
  private var waiters: [Waiter] = []

  init(_ scheduler: any Scheduler) { self.scheduler = scheduler }

  /// Adds a caller, which is called back after `timeout` at the latest.
  func add(path: String, _ then: @escaping (StoreOutcome) -> Void) {
    let waiter = Waiter(scheduler, then)
    waiters.removeAll { $0.then == nil }
    waiters.append(waiter)
    waiter.timer.start(after: Self.timeout) { [unowned(unsafe) waiter] in waiter.finish(.late(path: path)) }
  }

  /// Calls all waiting callers back.
  func finish(_ outcome: StoreOutcome) {
    let finished = waiters
    waiters = []
    for waiter in finished { waiter.finish(outcome) }
  }
}
